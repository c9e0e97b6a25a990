"""Why a release is refused: what the source's state, its history and the target's preview have to say. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trainingjobs.operations.drift import Drift
from trainingjobs.operations.promotion.release import Release
from trainingjobs.workloads.states import UNSUCCESSFUL
from trainingjobs.workloads.vertex import by_token
from trainingjobs.workloads.vertex_resources import COMPLETION

STACK = "pulumi:pulumi:Stack"


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """Why a promotion is refused: a public id, and what to do about it."""

    rule: str
    message: str

    def as_json(self) -> dict[str, str]:
        """Returns the refusal as the command prints it."""
        return {"rule": self.rule, "message": self.message}


def ran(
    source: str, release: Release, state: Mapping[str, Any] | None, last: Mapping[str, Any] | None
) -> Iterator[Refusal]:
    """Yields why the source has not run exactly this release with success: `not-run`."""
    fix = f"run `make up STACK={source}` first"
    if state is None or last is None:
        yield Refusal("not-run", f"{source} was never updated; {fix}")
        return
    if last.get("kind") != "update" or last.get("result") != "succeeded":
        yield Refusal("not-run", f"the last {last.get('kind')} of {source} {_ended(last)}; {fix}")
    if state.get("pending_operations"):
        yield Refusal("not-run", f"an update of {source} was cut off and left operations pending; {fix}")
    recorded = stack_outputs(state).get("release")
    ran_id = recorded.get("id") if isinstance(recorded, Mapping) else None
    if ran_id != release.id:
        ran_versions = recorded.get("versions") if isinstance(recorded, Mapping) else None
        detail = "" if ran_versions in (None, dict(release.versions)) else f" ({_versions(ran_versions, release)})"
        yield Refusal("not-run", f"{source} runs {ran_id or 'no release'}, its file makes {release.id}{detail}; {fix}")


def same_engine(source: str, state: Mapping[str, Any] | None, version: str) -> Iterator[Refusal]:
    """Yields `engine-version` where the source was updated by another engine than the one at hand."""
    manifest = (state or {}).get("manifest") or {}
    recorded = str(manifest.get("version", "")).removeprefix("v")
    if recorded and recorded != version:
        yield Refusal(
            "engine-version",
            f"{source} was updated by Pulumi {recorded}, this is {version}; use the same, or run "
            f"`make up STACK={source}`",
        )


def jobs_ended(
    source: str, release: Release, waiting: Iterable[str], state: Mapping[str, Any] | None, drift: Iterable[Drift]
) -> Iterator[Refusal]:
    """Yields `job-not-succeeded` for jobs that wait for success and had none, and for any that have failed since."""
    resources = [resource for resource in (state or {}).get("resources", []) if not resource.get("delete")]
    succeeded = {
        _name(resource["urn"]).removesuffix("-completion")
        for resource in resources
        if resource.get("type") == COMPLETION and _outputs(resource).get("waitFor") == "succeeded"
    }
    wait = sorted(set(waiting) - succeeded)
    for name in wait:
        yield Refusal("job-not-succeeded", f"{name} waits for success and has not succeeded in {source}; see its logs")
    now = {difference.urn: str(difference.is_) for difference in drift if difference.path == "state"}
    names = {path[0] for path in release.jobs} - set(wait)
    for resource in resources:
        name = _name(resource["urn"])
        if by_token(str(resource.get("type"))) is None or name not in names:
            continue
        ended = now.get(resource["urn"], str(_outputs(resource).get("state", ""))).rpartition("_")[2]
        if ended in UNSUCCESSFUL:
            yield Refusal("job-not-succeeded", f"{name} ended in {source} as {ended}; fix it, run it again")


def drifted(source: str, drift: Iterable[Drift]) -> Iterator[Refusal]:
    """Yields `drifted`, once for each class, where the source is not what its state says."""
    for kind in ("dangerous", "changed-by-hand"):
        differences = [difference for difference in drift if difference.kind == kind]
        if differences:
            first = f"{differences[0].urn.rpartition('::')[2]} {differences[0].path}"
            more = f" and {len(differences) - 1} more" if len(differences) > 1 else ""
            yield Refusal(
                "drifted", f"{source} is not what its state says ({kind}: {first}{more}); drift {source} shows it"
            )


def breaks_policies(target: str, status: int, events: Iterable[Mapping[str, Any]], output: str) -> Iterator[Refusal]:
    """Yields the pack's errors under their rules' ids, or `preview-failed` where the preview failed without any."""
    refusals = set()
    for event in events:
        policy = event.get("policyEvent") or {}
        if policy.get("enforcementLevel") == "mandatory":
            resource = _name(str(policy.get("resourceUrn", "")))
            refusals.add(
                Refusal(str(policy.get("policyName")), f"{target}: {resource}: {_plain(policy.get('message'))}")
            )
    yield from sorted(refusals)
    if status and not refusals:
        last = [line.strip() for line in output.splitlines() if "error:" in line] or output.strip().splitlines()[-3:]
        yield Refusal("preview-failed", f"{target}: " + " ".join(last)[:1000])


def stack_outputs(state: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the outputs of the stack, none where it has none."""
    for resource in state.get("resources", []):
        if resource.get("type") == STACK:
            return _outputs(resource)
    return {}


def _outputs(resource: Mapping[str, Any]) -> dict[str, Any]:
    outputs = resource.get("outputs")
    return dict(outputs) if isinstance(outputs, Mapping) else {}


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def _ended(last: Mapping[str, Any]) -> str:
    return "succeeded" if last.get("result") == "succeeded" else f"ended as {last.get('result')}"


def _versions(recorded: Any, release: Release) -> str:
    changed = [
        f"{key} {recorded.get(key)}, now {value}"
        for key, value in release.versions.items()
        if recorded.get(key) != value
    ]
    return "; ".join(changed) or "other jobs"


def _plain(message: Any) -> str:
    return " ".join(str(message or "").replace("<{%reset%}>", "").split())
