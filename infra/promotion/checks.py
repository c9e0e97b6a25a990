"""Why a release is refused: what the source's state, its history and the target's preview have to say. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from infra.plan.drift import Drift
from infra.promotion.release import Release

COMPLETION = "trainingjobs:index:Completion"
JOBS = tuple(f"trainingjobs:vertex:{kind}" for kind in ("CustomJob", "HyperparameterTuningJob", "TrainingPipeline"))
FAILED = ("FAILED", "CANCELLED", "EXPIRED")
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
    redo = f"run `make up STACK={source}` first"
    if state is None or last is None:
        yield Refusal("not-run", f"{source} was never updated; {redo}")
        return
    if last.get("kind") != "update" or last.get("result") != "succeeded":
        yield Refusal("not-run", f"the last {last.get('kind')} of {source} {_ended(last)}; {redo}")
    if state.get("pending_operations"):
        yield Refusal("not-run", f"an update of {source} was cut off and left operations pending; {redo}")
    recorded = stack_outputs(state).get("release")
    ran_id = recorded.get("id") if isinstance(recorded, Mapping) else None
    if ran_id != release.id:
        ran_versions = recorded.get("versions") if isinstance(recorded, Mapping) else None
        why = "" if ran_versions in (None, dict(release.versions)) else f" ({_versions(ran_versions, release)})"
        yield Refusal("not-run", f"{source} runs {ran_id or 'no release'}, its file makes {release.id}{why}; {redo}")


def same_engine(source: str, state: Mapping[str, Any] | None, here: str) -> Iterator[Refusal]:
    """Yields `engine-version` where the source was updated by another engine than the one at hand."""
    manifest = (state or {}).get("manifest") or {}
    used = str(manifest.get("version", "")).removeprefix("v")
    if used and used != here:
        yield Refusal(
            "engine-version",
            f"{source} was updated by Pulumi {used}, this is {here}; use the same, or run `make up STACK={source}`",
        )


def jobs_ended(
    source: str, release: Release, waiting: Iterable[str], state: Mapping[str, Any] | None, drift: Iterable[Drift]
) -> Iterator[Refusal]:
    """Yields `job-not-succeeded` for jobs that wait for success and had none, and for any that have failed since."""
    resources = [one for one in (state or {}).get("resources", []) if not one.get("delete")]
    succeeded = {
        _name(one["urn"]).removesuffix("-completion")
        for one in resources
        if one.get("type") == COMPLETION and _outputs(one).get("waitFor") == "succeeded"
    }
    wait = sorted(set(waiting) - succeeded)
    for name in wait:
        yield Refusal("job-not-succeeded", f"{name} waits for success and has not succeeded in {source}; see its logs")
    now = {one.urn: str(one.is_) for one in drift if one.path == "state"}
    names = {path[0] for path in release.jobs} - set(wait)
    for one in resources:
        if one.get("type") not in JOBS or _name(one["urn"]) not in names:
            continue
        ended = now.get(one["urn"], str(_outputs(one).get("state", ""))).rpartition("_")[2]
        if ended in FAILED:
            yield Refusal(
                "job-not-succeeded", f"{_name(one['urn'])} ended in {source} as {ended}; mend it, run it again"
            )


def drifted(source: str, drift: Iterable[Drift]) -> Iterator[Refusal]:
    """Yields `drifted`, once for each class, where the source is not what its state says."""
    for kind in ("dangerous", "changed-by-hand"):
        found = [one for one in drift if one.kind == kind]
        if found:
            first = f"{found[0].urn.rpartition('::')[2]} {found[0].path}"
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            yield Refusal(
                "drifted", f"{source} is not what its state says ({kind}: {first}{more}); drift {source} shows it"
            )


def breaks_policies(target: str, status: int, events: Iterable[Mapping[str, Any]], output: str) -> Iterator[Refusal]:
    """Yields the pack's errors under their rules' ids, or `preview-failed` where the preview failed without any."""
    found = set()
    for event in events:
        policy = event.get("policyEvent") or {}
        if policy.get("enforcementLevel") == "mandatory":
            resource = _name(str(policy.get("resourceUrn", "")))
            found.add(Refusal(str(policy.get("policyName")), f"{target}: {resource}: {_plain(policy.get('message'))}"))
    yield from sorted(found)
    if status and not found:
        last = [line.strip() for line in output.splitlines() if "error:" in line] or output.strip().splitlines()[-3:]
        yield Refusal("preview-failed", f"{target}: " + " ".join(last)[:1000])


def stack_outputs(state: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the outputs of the stack, none where it has none."""
    for one in state.get("resources", []):
        if one.get("type") == STACK:
            return _outputs(one)
    return {}


def _outputs(resource: Mapping[str, Any]) -> dict[str, Any]:
    found = resource.get("outputs")
    return dict(found) if isinstance(found, Mapping) else {}


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def _ended(last: Mapping[str, Any]) -> str:
    return "succeeded" if last.get("result") == "succeeded" else f"ended as {last.get('result')}"


def _versions(then: Any, release: Release) -> str:
    changed = [
        f"{key} {then.get(key)}, now {value}" for key, value in release.versions.items() if then.get(key) != value
    ]
    return "; ".join(changed) or "other jobs"


def _plain(message: Any) -> str:
    return " ".join(str(message or "").replace("<{%reset%}>", "").split())
