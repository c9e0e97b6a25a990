"""A git commit on a branch of its own: neither the working tree, nor the index, nor the branch at hand is touched."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.project_files import ROOT


class GitError(Exception):
    """What git has to say."""


def uncommitted(paths: Sequence[Path]) -> list[str]:
    """Returns those of the paths whose content is not that of HEAD. Raises GitError outside a repository."""
    names = [path.relative_to(ROOT).as_posix() for path in paths]
    listed = _git("status", "--porcelain", "--untracked-files=all", "--", *names)
    return sorted(line[3:] for line in listed.splitlines())


def commit(branch: str, message: str, files: Mapping[Path, str]) -> str:
    """Commits the files on a new branch from HEAD and returns the commit. Raises GitError where the branch exists."""
    if _git("branch", "--list", branch).strip():
        raise GitError(f"the branch {branch} is there already; look at it, or delete it: git branch -D {branch}")
    head = _git("rev-parse", "HEAD").strip()
    prefix = _git("rev-parse", "--show-prefix").strip()
    with tempfile.TemporaryDirectory(prefix="training-index-") as folder:
        own = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        _git("read-tree", head, environment=own)
        for path, text in files.items():
            blob = _git("hash-object", "-w", "--stdin", given=text).strip()
            name = prefix + path.relative_to(ROOT).as_posix()
            _git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}", environment=own)
        tree = _git("write-tree", environment=own).strip()
    made = _git("commit-tree", tree, "-p", head, "-m", message).strip()
    # The branch appears in one step, last: a kill before leaves nothing but loose objects.
    _git("update-ref", f"refs/heads/{branch}", made, "0" * 40)
    return made


def _git(*words: str, given: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(  # noqa: S603 (fixed words and paths of the project)
            ["git", *words],  # noqa: S607 (the user's own git)
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            input=given,
            stdin=None if given is not None else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as problem:
        raise GitError(f"git cannot be run: {problem.strerror}") from None
    if done.returncode:
        raise GitError(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout
