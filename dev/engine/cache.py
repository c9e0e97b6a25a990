"""Where builds are kept: one folder a group and key, written beside its place and renamed when it is whole."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dev.engine.pins import Group


class BuildFailed(Exception):
    """The build cannot be done; the text says why and what to do."""


def cache_root() -> Path:
    """Returns the cache folder: $TRAINING_CACHE, else training-infra under $XDG_CACHE_HOME or ~/.cache."""
    configured = os.environ.get("TRAINING_CACHE")
    if configured:
        return Path(configured).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "training-infra"


def group_folder(group: Group) -> Path:
    """Returns the folder of the group's build, whether it is there or not."""
    return cache_root() / f"{group.name}-{group.key}"


def built_bin(group: Group) -> Path | None:
    """Returns the folder to put on PATH if the group is built, else None. Starts nothing."""
    folder = group_folder(group) / "bin"
    return folder if folder.is_dir() else None


@contextmanager
def build_lock(group: Group, say: Callable[[str], None]) -> Iterator[None]:
    """Holds the group's lock, waiting for another build of it; a process that dies lets go of it.

    Raises BuildFailed where the cache cannot be used.
    """
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        file = (root / f"{group_folder(group).name}.lock").open("w")
    except OSError as error:
        raise _unusable(error) from error
    with file as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another process is building this {group.name}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def staged(group: Group) -> Iterator[Path]:
    """Yields an empty folder that becomes the group's if the body succeeds; else nothing of it stays.

    The caller holds the lock: what an earlier, killed build left is removed. Raises BuildFailed where the folder cannot
    be written.
    """
    target = group_folder(group)
    for stale in target.parent.glob(f"{target.name}.tmp*"):
        shutil.rmtree(stale)
    # By process: the compilers of a killed build may still be writing to theirs.
    stage = target.with_name(f"{target.name}.tmp{os.getpid()}")
    try:
        stage.mkdir()
        yield stage
        stage.rename(target)
    except BaseException as error:
        shutil.rmtree(stage, ignore_errors=True)
        if isinstance(error, OSError):
            raise _unusable(error) from error
        raise


def _unusable(error: OSError) -> BuildFailed:
    path = f"{error.filename}: " if error.filename else ""
    reason = "a file of that name is in the way" if isinstance(error, FileExistsError) else error.strerror or str(error)
    return BuildFailed(
        f"the cache folder {cache_root()} cannot be used ({path}{reason}); "
        "fix that, or name another folder, on a disk with 4 GB to spare, by TRAINING_CACHE"
    )
