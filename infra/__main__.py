"""The former name of `trainingjobs VERB`: says the new one and runs it."""

import sys

from trainingjobs.__main__ import main

sys.stderr.write("python -m infra is now: trainingjobs VERB, or python -m trainingjobs VERB\n")
main()
