"""The copy of the project that is mutated: the working tree itself never is."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

# Those of `only_mutate` in pyproject.toml.
MUTATED = (
    "trainingjobs/facts", "trainingjobs/estimates", "trainingjobs/rules", "trainingjobs/plan", "trainingjobs/workloads",
    "trainingjobs/convert",
)  # fmt: skip
STAMP = "inputs.json"


def prepare(root: Path, copy: Path) -> None:
    """Brings `copy` up to date with the files that git knows or would add; what is unchanged keeps its verdicts.

    Where tests or the code around the mutated packages changed, the verdicts that were no kill are taken back.
    """
    names = _files(root)
    for name in names:
        source, target = root / name, copy / name
        data = source.read_bytes()
        if name.startswith(MUTATED) and name.endswith(".py"):
            data = undecorated(data.decode("utf-8")).encode("utf-8")
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            shutil.copymode(source, target)
    for path in copy.rglob("*"):
        inner = path.relative_to(copy).as_posix()
        if path.is_file() and inner not in names and not inner.startswith("mutants/") and inner != STAMP:
            path.unlink()
    stamp = copy / STAMP
    before = json.loads(stamp.read_text(encoding="utf-8")) if stamp.exists() else {}
    after = _inputs(copy, names)
    if before.get("mutator") != after["mutator"]:
        shutil.rmtree(copy / "mutants", ignore_errors=True)
    elif before != after:
        _take_back(copy / "mutants")
    stamp.write_text(json.dumps(after, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def undecorated(source: str) -> str:
    """Returns the module with `@d def f` written as `def f` and `f = d(f)`: mutmut leaves decorated functions alone."""
    lines = source.splitlines(keepends=True)
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for function in sorted(functions, key=lambda node: -node.lineno):
        given = [ast.get_source_segment(source, decorator) or "" for decorator in function.decorator_list]
        if not given or set(given) & {"staticmethod", "classmethod"}:
            continue
        indent = " " * function.col_offset
        call = function.name
        for decorator in reversed(given):
            call = f"({decorator})({call})"
        lines.insert(function.end_lineno or 0, f"\n{indent}{function.name} = {call}\n")
        del lines[function.decorator_list[0].lineno - 1 : function.lineno - 1]
    return "".join(lines)


def _files(root: Path) -> set[str]:
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout
    return {name for name in listed.split("\0") if name and (root / name).is_file()}


def _inputs(copy: Path, names: set[str]) -> dict[str, str]:
    """Returns a hash of what makes mutants, and one of what judges them beside the mutated code."""
    hashes = {"mutator": hashlib.sha256(), "judges": hashlib.sha256()}
    for name in sorted(names):
        path = Path(name)
        if name in ("dev/mutants/text.py", "dev/mutants/worker.py", "dev/mutants/tree.py"):
            hashes["mutator"].update((copy / path).read_bytes())
        elif path.parts[0] in ("trainingjobs", "infra", "policies", "tests", "stacks") and not name.startswith(MUTATED):
            hashes["judges"].update((copy / path).read_bytes())
    return {key: value.hexdigest() for key, value in hashes.items()}


def _take_back(mutants: Path) -> None:
    """A survivor is tried again, and what covers it is measured again."""
    (mutants / "mutmut-stats.json").unlink(missing_ok=True)
    for path in mutants.rglob("*.meta"):
        meta = json.loads(path.read_text(encoding="utf-8"))
        codes = meta["exit_code_by_key"]
        meta["exit_code_by_key"] = {key: code if code in (1, 3) else None for key, code in codes.items()}
        path.write_text(json.dumps(meta, indent=4), encoding="utf-8")
