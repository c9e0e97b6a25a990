"""The entry of `python -m trainingjobs.launcher` and `python -m launcher`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
