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

from trainingjobs.cli.render import renderer
from trainingjobs.core.findings import has_errors
from trainingjobs.judge.documents import judge
from trainingjobs.judge.judgement import Source
from trainingjobs.plan.job import JobPlan
from trainingjobs.project.files import read_file
from trainingjobs.workloads.kubernetes import kubernetes_workloads
from trainingjobs.workloads.pod_template import ROLE_LABEL

ROOT = Path(__file__).resolve().parents[1]
CHECKOV = ROOT / ".venv-scan" / "bin" / "checkov"
EXCEPTIONS = Path(__file__).with_name("scan_exceptions.json")
FILES = (
    *sorted((ROOT / "stacks").glob("Pulumi.*.yaml")),
    *sorted((ROOT / "examples" / "clusters").glob("Pulumi.*.yaml")),
)
LANGUAGES = tuple(kind.kind for kind in kubernetes_workloads())


class ScanError(Exception):
    """The scan gave no result; one message."""


def manifests() -> dict[str, list[dict[str, Any]]]:
    """Returns the objects to scan by the name of the rendering that they are of: STACK.JOB.LANGUAGE."""
    objects = {}
    for path in FILES:
        stack = path.name.removeprefix("Pulumi.").removesuffix(".yaml")
        for plan in _plans(path):
            for language in LANGUAGES:
                body, findings = renderer(language)(plan)
                if not has_errors(findings):
                    objects[f"{stack}.{plan.name}.{language}"] = list(scannable(body))
    return objects


def _plans(path: Path) -> tuple[JobPlan, ...]:
    judgement = judge(read_file(path), Source(name=path.stem, is_stack=True))
    if judgement.stack is None:
        raise ScanError(f"{path.relative_to(ROOT)} is no sound stack: trainingjobs validate")
    return judgement.plans


def scannable(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields what checkov knows of a rendering: its objects of Kubernetes' own kinds, and each template as a pod."""
    for item in body["items"] if body["kind"] == "List" else [body]:
        if "." not in item["apiVersion"].partition("/")[0]:
            yield item
        else:
            yield from _templates(item, item["metadata"])


def _templates(value: Any, owner: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for child in value.values() if isinstance(value, Mapping) else value:
        if isinstance(child, Mapping) and isinstance(child.get("spec"), Mapping) and "containers" in child["spec"]:
            labels = child["metadata"]["labels"]
            metadata = {
                "name": f"{owner['name']}-{labels[ROLE_LABEL]}",
                "namespace": owner["namespace"],
                "labels": labels,
            }
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": child["spec"]}
        elif isinstance(child, Mapping | list):
            yield from _templates(child, owner)


def scan(objects: Mapping[str, list[dict[str, Any]]]) -> dict[str, dict[str, list[str]]]:
    """Returns what checkov says: {"failed": {check: [object, …]}, "passed": the same}. Raises ScanError."""
    if not CHECKOV.is_file():
        raise ScanError("checkov is not there: make .venv-scan/.made")
    with tempfile.TemporaryDirectory(prefix="training-scan-") as folder:
        for name, items in objects.items():
            body = {"apiVersion": "v1", "kind": "List", "items": items}
            Path(folder, f"{name}.json").write_text(json.dumps(body, indent=1, sort_keys=True), encoding="utf-8")
        command = [str(CHECKOV), "--directory", folder, "--framework", "kubernetes", "--output", "json"]
        # A key of the user's would send the manifests to a service.
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("BC_", "PRISMA_", "CKV_"))
        }
        completed = subprocess.run(
            [*command, "--skip-download"], cwd=folder, env=environment, check=False, capture_output=True, text=True
        )
    try:
        report = json.loads(completed.stdout)
        results = report["results"]
        unparsed = results["parsing_errors"]
    except (ValueError, KeyError, TypeError):
        raise ScanError(f"checkov gave no result:\n{(completed.stderr or completed.stdout)[-2000:]}") from None
    if unparsed:
        raise ScanError(f"checkov cannot read {', '.join(unparsed)}")
    checks_by_outcome: dict[str, dict[str, list[str]]] = {"failed": {}, "passed": {}}
    for outcome, checks in checks_by_outcome.items():
        for check in results[f"{outcome}_checks"]:
            object_name = f"{Path(check['file_path']).stem}: {check['resource']}"
            checks.setdefault(f"{check['check_id']} {check['check_name']}", []).append(object_name)
    return checks_by_outcome


def read_exceptions() -> dict[str, dict[str, Any]]:
    """Returns check → {"in": patterns of the places that may fail it, "reason": why}."""
    exceptions: dict[str, dict[str, Any]] = json.loads(EXCEPTIONS.read_text(encoding="utf-8"))
    return exceptions


def faults(failed: Mapping[str, list[str]], exceptions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Returns a line for each check that fails without an exception, and for each exception that nothing needs."""
    lines, needed = [], set()
    for check, places in sorted(failed.items()):
        check_id = check.split()[0]
        patterns = exceptions.get(check_id, {}).get("in", [])
        needed |= {(check_id, pattern) for pattern in patterns if fnmatch.filter(places, pattern)}
        failing = sorted(
            {place for place in places if not any(fnmatch.fnmatch(place, pattern) for pattern in patterns)}
        )
        if failing:
            lines.append(f"{check}: {len(failing)} objects fail" + "".join(f"\n    {place}" for place in failing[:5]))
    stale = [(check_id, pattern) for check_id, entry in exceptions.items() for pattern in entry["in"]]
    return lines + [
        f"{check_id}: nothing in {pattern!r} fails it any more; take the exception out"
        for check_id, pattern in stale
        if (check_id, pattern) not in needed
    ]


def main() -> int:
    """Scans every manifest; returns 1 where one fails a check without an exception."""
    try:
        objects = manifests()
        checks = scan(objects)
    except ScanError as error:
        print(f"make scan: {error}", file=sys.stderr)
        return 1
    exceptions = read_exceptions()
    lines = faults(checks["failed"], exceptions)
    print("".join(f"  {line}\n" for line in lines), end="", file=sys.stderr)
    count = sum(len(items) for items in objects.values())
    print(
        f"» scan: {count} objects of {len(objects)} renderings, {len(checks['passed'])} kinds of checks passed, "
        f"{len(exceptions)} excepted with reasons (tools/{EXCEPTIONS.name}), {len(lines)} faults"
    )
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
