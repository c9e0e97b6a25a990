"""The parts of a Kubernetes control plane, the Pulumi provider among them, and where each one's build is."""

from pathlib import Path

from dev.engine.cache import built_bin
from dev.engine.pins import Group, load_group

HERE = Path(__file__).parent
PROVIDER = "kubernetes-provider"
# The provider compiles longest: a build that is interrupted has the control plane by then.
PARTS = ("etcd", "kubernetes", "training-operator", "jobset", PROVIDER)


def part(name: str) -> Group:
    """Returns the pins of the part `name`; KeyError for another name."""
    return load_group(name, HERE)


def built(name: str) -> Path | None:
    """Returns the folder of the part's build (its programs in bin/), or None if it is not built."""
    folder = built_bin(part(name))
    return folder.parent if folder else None


def missing() -> list[str]:
    """Returns the names of the parts that are not built, in the order in which they are built."""
    return [name for name in PARTS if built(name) is None]
