"""A git commit on a branch of its own: neither the working tree, nor the index, nor the branch at hand is touched."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from trainingjobs.project.files import project


class GitError(Exception):
    """What git has to say."""


def uncommitted(paths: Sequence[Path]) -> list[str]:
    """Returns those of the paths whose content is not that of HEAD. Raises GitError outside a repository."""
    names = [project().label(path) for path in paths]
    output = _git("status", "--porcelain", "--untracked-files=all", "--", *names)
    return sorted(line[3:] for line in output.splitlines())


def commit(branch: str, message: str, files: Mapping[Path, str]) -> str:
    """Commits the files on a new branch from HEAD and returns the commit. Raises GitError where the branch exists."""
    if _git("branch", "--list", branch).strip():
        raise GitError(f"the branch {branch} is there already; look at it, or delete it: git branch -D {branch}")
    head = _git("rev-parse", "HEAD").strip()
    prefix = _git("rev-parse", "--show-prefix").strip()
    with tempfile.TemporaryDirectory(prefix="training-index-") as folder:
        index_environment = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        _git("read-tree", head, environment=index_environment)
        for path, text in files.items():
            blob = _git("hash-object", "-w", "--stdin", given=text).strip()
            name = prefix + project().label(path)
            _git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}", environment=index_environment)
        tree = _git("write-tree", environment=index_environment).strip()
    commit_id = _git("commit-tree", tree, "-p", head, "-m", message).strip()
    # The branch appears in one step, last: a kill before leaves nothing but loose objects.
    _git("update-ref", f"refs/heads/{branch}", commit_id, "0" * 40)
    return commit_id


def _git(*words: str, given: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    try:
        completed = subprocess.run(
            ["git", *words],  # The user's own git.
            cwd=project().root,
            env={**os.environ, **(environment or {})},
            input=given,
            stdin=None if given is not None else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as problem:
        raise GitError(f"git cannot be run: {problem.strerror}") from None
    if completed.returncode:
        raise GitError(f"git {words[0]}: {completed.stderr.strip()}")
    return completed.stdout
