"""Says the launcher's name and starts it; an image that is built anew has to have it."""

import sys

try:
    from trainingjobs.launcher.cli import main
except ModuleNotFoundError:
    sys.exit(
        "launcher: infra.launcher is now trainingjobs.launcher, which this image lacks: COPY trainingjobs/launcher"
    )

sys.stderr.write("launcher: python -m infra.launcher is now python -m trainingjobs.launcher\n")
sys.exit(main(sys.argv[1:]))
