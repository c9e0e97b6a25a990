"""The policy pack's process: its logic is the library's (trainingjobs/policy_pack), its configuration is in config/."""

import sys
from pathlib import Path

# A pack finds only its own folder.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from trainingjobs.policy_pack.server import serve  # noqa: E402

if __name__ == "__main__":
    serve()
