"""`make scan`: checkov over every Kubernetes manifest that the project's stacks and examples render to.

checkov knows Kubernetes' own kinds and nothing of JobSet, TFJob or PyTorchJob, so that each pod template inside those
is scanned as the pod that it becomes. scan_exceptions.json names the checks that may fail, with the reason; one that no
longer fails is a fault too. Nothing is fetched: checkov runs in .venv-scan (`make scan` makes it).
"""

from __future__ import annotations

import fnmatch
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from infra.cli.render import renderer
from infra.dialects.pod_template import ROLE_LABEL
from infra.plan.job_plan import JobPlan
from infra.plan.plan import stack_findings
from infra.problems import has_errors
from infra.project_files import read_file
from infra.spec.keys import PATHS, stack_document
from infra.spec.reading import read_model
from infra.spec.stack import Stack

ROOT = Path(__file__).resolve().parents[1]
CHECKOV = ROOT / ".venv-scan" / "bin" / "checkov"
EXCEPTIONS = Path(__file__).with_name("scan_exceptions.json")
FILES = (
    *sorted((ROOT / "stacks").glob("Pulumi.*.yaml")),
    *sorted((ROOT / "examples" / "clusters").glob("Pulumi.*.yaml")),
)
LANGUAGES = ("tfjob", "pytorchjob", "jobset", "pods")


class ScanError(Exception):
    """The scan gave no result; one message."""


def manifests() -> dict[str, list[dict[str, Any]]]:
    """Returns the objects to scan by the name of the rendering that they are of: STACK.JOB.LANGUAGE."""
    found = {}
    for path in FILES:
        stack = path.name.removeprefix("Pulumi.").removesuffix(".yaml")
        for plan in _plans(path):
            for language in LANGUAGES:
                body, findings = renderer(language)(plan)
                if not has_errors(findings):
                    found[f"{stack}.{plan.name}.{language}"] = list(scannable(body))
    return found


def _plans(path: Path) -> tuple[JobPlan, ...]:
    reading = read_model(Stack, stack_document(read_file(path)), renamed=PATHS)
    if reading.value is None:
        raise ScanError(f"{path.relative_to(ROOT)} is no sound stack: python -m infra validate")
    return stack_findings(reading.value)[0]


def scannable(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields what checkov knows of a rendering: its objects of Kubernetes' own kinds, and each template as a pod."""
    for item in body["items"] if body["kind"] == "List" else [body]:
        if "." not in item["apiVersion"].partition("/")[0]:
            yield item
        else:
            yield from _templates(item, item["metadata"])


def _templates(value: Any, owner: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for inner in value.values() if isinstance(value, Mapping) else value:
        if isinstance(inner, Mapping) and isinstance(inner.get("spec"), Mapping) and "containers" in inner["spec"]:
            labels = inner["metadata"]["labels"]
            own = {"name": f"{owner['name']}-{labels[ROLE_LABEL]}", "namespace": owner["namespace"], "labels": labels}
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": inner["spec"]}
        elif isinstance(inner, Mapping | list):
            yield from _templates(inner, owner)


def scan(objects: Mapping[str, list[dict[str, Any]]]) -> dict[str, dict[str, list[str]]]:
    """Returns what checkov says: {"failed": {check: [object, …]}, "passed": the same}. Raises ScanError."""
    if not CHECKOV.is_file():
        raise ScanError("checkov is not there: make .venv-scan/.made")
    with tempfile.TemporaryDirectory(prefix="training-scan-") as folder:
        for name, items in objects.items():
            body = {"apiVersion": "v1", "kind": "List", "items": items}
            Path(folder, f"{name}.json").write_text(json.dumps(body, indent=1, sort_keys=True), encoding="utf-8")
        words = [str(CHECKOV), "--directory", folder, "--framework", "kubernetes", "--output", "json"]
        # A key of the user's would send the manifests to a service.
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("BC_", "PRISMA_", "CKV_"))
        }
        done = subprocess.run(
            [*words, "--skip-download"], cwd=folder, env=environment, check=False, capture_output=True, text=True
        )
    try:
        report = json.loads(done.stdout)
        results = report["results"]
        broken = results["parsing_errors"]
    except (ValueError, KeyError, TypeError):
        raise ScanError(f"checkov gave no result:\n{(done.stderr or done.stdout)[-2000:]}") from None
    if broken:
        raise ScanError(f"checkov cannot read {', '.join(broken)}")
    found: dict[str, dict[str, list[str]]] = {"failed": {}, "passed": {}}
    for outcome, checks in found.items():
        for one in results[f"{outcome}_checks"]:
            place = f"{Path(one['file_path']).stem}: {one['resource']}"
            checks.setdefault(f"{one['check_id']} {one['check_name']}", []).append(place)
    return found


def read_exceptions() -> dict[str, dict[str, Any]]:
    """Returns check → {"in": patterns of the places that may fail it, "reason": why}."""
    found: dict[str, dict[str, Any]] = json.loads(EXCEPTIONS.read_text(encoding="utf-8"))
    return found


def faults(failed: Mapping[str, list[str]], exceptions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Returns a line for each check that fails without an exception, and for each exception that nothing needs."""
    lines, needed = [], set()
    for check, places in sorted(failed.items()):
        number = check.split()[0]
        patterns = exceptions.get(number, {}).get("in", [])
        needed |= {(number, pattern) for pattern in patterns if fnmatch.filter(places, pattern)}
        left = sorted({place for place in places if not any(fnmatch.fnmatch(place, pattern) for pattern in patterns)})
        if left:
            lines.append(f"{check}: {len(left)} objects fail" + "".join(f"\n    {place}" for place in left[:5]))
    stale = [(number, pattern) for number, one in exceptions.items() for pattern in one["in"]]
    return lines + [
        f"{number}: nothing in {pattern!r} fails it any more; take the exception out"
        for number, pattern in stale
        if (number, pattern) not in needed
    ]


def main() -> int:
    """Scans every manifest; returns 1 where one fails a check without an exception."""
    try:
        objects = manifests()
        found = scan(objects)
    except ScanError as problem:
        print(f"make scan: {problem}", file=sys.stderr)
        return 1
    exceptions = read_exceptions()
    lines = faults(found["failed"], exceptions)
    print("".join(f"  {line}\n" for line in lines), end="", file=sys.stderr)
    count = sum(len(items) for items in objects.values())
    print(
        f"» scan: {count} objects of {len(objects)} renderings, {len(found['passed'])} kinds of checks passed, "
        f"{len(exceptions)} excepted with reasons (tools/{EXCEPTIONS.name}), {len(lines)} faults"
    )
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
