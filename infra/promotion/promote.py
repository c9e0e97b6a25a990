"""A promotion: everything that is known about it, then what is written. Reads files and asks the engine."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from infra.cli.inputs import judged_stack
from infra.engine.stack_engine import EngineError, StackEngine
from infra.plan.drift import drift_of
from infra.plan.plan import stack_findings
from infra.problems import Finding, has_errors, render_finding
from infra.project_files import STACKS, stack_levels
from infra.promotion import checks
from infra.promotion.checks import Refusal
from infra.promotion.commit import commit, uncommitted
from infra.promotion.difference import Change, changes, missing_pools, where
from infra.promotion.records import load, record_path, record_text, write_whole
from infra.promotion.release import Release
from infra.promotion.rules import Rules, read_rules
from infra.promotion.stack_text import changed_text
from infra.promotion.versions import stack_release, versions
from infra.spec.keys import PATHS, stack_document
from infra.spec.reading import read_model
from infra.spec.stack import Stack
from infra.spec.text import DocumentError, parse_document
from infra.watch.services import in_sandbox

# A step that is none, or one that has no file to preview: asking the engine tells nothing more.
HOPELESS = ("promotion-order", "promotion-pool")


@dataclass(slots=True)
class Promotion:
    """What a promotion would do and why it may not; `text` is the target's new file, None where nothing changes."""

    source: str
    target: str
    release: Release | None = None
    changes: list[Change] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    text: str | None = None

    @property
    def ok(self) -> bool:
        """Returns whether nothing speaks against it."""
        return not self.refusals

    @property
    def branch(self) -> str:
        """Returns the branch that `--commit` makes."""
        return f"promote/{self.target}-{self.release.id if self.release else 'nothing'}"


def stack_path(name: str) -> Path:
    """Returns the file of a stack."""
    return STACKS / f"Pulumi.{name}.yaml"


def examine(source: str, target: str, older: str | None) -> Promotion:
    """Returns what promoting the source's release, or an older one by its id, would do; nothing is written.

    Raises DocumentError for a file that cannot be read, and EngineError where the engine cannot be asked.
    """
    found = Promotion(source, target)
    rules = read_rules()
    found.refusals += out_of_order(rules, source, target)
    if not {source, target} <= set(rules.order):
        # What would change is of no interest: there is no such step.
        return found
    source_stack, target_stack = _stack(source, found), _stack(target, found)
    if source_stack is None or target_stack is None:
        return found
    if older is None:
        found.release = stack_release(source_stack, rules)
    else:
        found.release = _older(older, found)
    target_release = stack_release(target_stack, rules)
    found.refusals += tagged(source, found.release)
    found.refusals += poolless(source, target, found.release, target_release)
    base = load(target_stack.release)[0] if target_stack.release else None
    found.changes = changes(found.release, target_release, base)
    if any(refusal.rule in HOPELESS for refusal in found.refusals):
        return found
    if found.changes or target_stack.release != found.release.id:
        _write_in_mind(found)
    stack, release, text = source_stack, found.release, found.text
    # Two back ends are asked at once: each answer takes seconds.
    with ThreadPoolExecutor(max_workers=2) as pool:
        ran = pool.submit(_ran, source, release, stack) if older is None else None
        previewed = pool.submit(_previewed, target, text, target_stack) if text is not None else None
        found.refusals += [one for asked in (ran, previewed) if asked is not None for one in asked.result()]
    return found


def out_of_order(rules: Rules, source: str, target: str) -> list[Refusal]:
    """Returns `promotion-order` unless the target comes next after the source."""
    after = rules.next_after(source)
    if after == target:
        return []
    order = " → ".join(rules.order)
    if strangers := [name for name in dict.fromkeys((source, target)) if name not in rules.order]:
        words = f"{' and '.join(strangers)}: not in the order {order} (policies/config/promotion.json)"
        return [Refusal("promotion-order", words)]
    fix = f"after {source} comes {after}" if after else f"nothing comes after {source}"
    return [Refusal("promotion-order", f"{source} → {target} is no step of {order}; {fix}")]


def tagged(source: str, release: Release) -> list[Refusal]:
    """Returns `image-pinned` for each image that does not name its digest."""
    return [
        Refusal("image-pinned", f"{source}: {where(at)}: {image} names no digest; write IMAGE@sha256:…")
        for at, image in release.tagged().items()
    ]


def poolless(source: str, target: str, release: Release, target_release: Release) -> list[Refusal]:
    """Returns `promotion-pool` for what the release runs in a pool that the target's job does not have."""
    return [
        Refusal(
            "promotion-pool", f"{where(at)}: {source} runs an image of its own there; add the pool to {target} first"
        )
        for at in missing_pools(release, target_release)
    ]


def write(found: Promotion) -> list[Path]:
    """Writes the release's record, then the target's file, each whole or not at all; returns what was written.

    The record comes first: without the target's file it is a release that nobody runs.
    """
    files = written_files(found)
    for path, text in files.items():
        write_whole(path, text)
    return list(files)


def write_commit(found: Promotion) -> str:
    """Commits the same files on a branch of their own and returns the commit. Raises GitError."""
    files = written_files(found)
    release_id = found.release.id if found.release else ""
    return commit(found.branch, f"Promote {release_id} from {found.source} to {found.target}", files)


def not_committed(found: Promotion) -> list[Refusal]:
    """Returns `not-committed` for files that a commit from HEAD would not know. Raises GitError."""
    return [
        Refusal("not-committed", f"{name} is not what HEAD has; commit it first")
        for name in uncommitted([stack_path(found.source), stack_path(found.target)])
    ]


def written_files(found: Promotion) -> dict[Path, str]:
    """Returns the texts that a promotion writes, in their order."""
    if found.release is None or found.text is None:
        return {}
    record = record_text(found.release, found.source, found.target)
    return {record_path(found.release.id): record, stack_path(found.target): found.text}


def _stack(name: str, found: Promotion) -> Stack | None:
    judged = judged_stack(name)
    errors = [finding for finding in judged.findings if finding.severity == "error"]
    if judged.stack is None and errors:
        first = errors[0]
        raise DocumentError(first.message, first.fix, ": ".join(part for part in (first.source, first.path) if part))
    if name == found.source:
        found.refusals += [_refusal(finding) for finding in errors]
    return judged.stack


def _older(release_id: str, found: Promotion) -> Release:
    release, promotions = load(release_id)
    passed = {"source": found.source, "target": found.target}
    if passed not in promotions:
        found.refusals.append(
            Refusal(
                "not-run", f"{release_id} was never promoted from {found.source} to {found.target}; promote its source"
            )
        )
    here = versions()
    found.notes += [
        f"{release_id} was made with {key} {then}; this checkout has {here.get(key)}"
        for key, then in release.versions.items()
        if here.get(key) != then
    ]
    return release


def _write_in_mind(found: Promotion) -> None:
    """Makes the target's new text and judges it as `validate` does."""
    path = stack_path(found.target)
    release_id = found.release.id if found.release else ""
    text = changed_text(path.read_text(encoding="utf-8"), found.changes, release_id)
    reading = read_model(Stack, stack_document(parse_document(text)), renamed=PATHS)
    findings = list(reading.findings)
    if isinstance(reading.value, Stack):
        levels, faults, _ = stack_levels(found.target, reading.value.environment)
        findings += [*faults, *stack_findings(reading.value, levels, reading.unknown)[1]]
    if has_errors(findings):
        found.refusals += [_refusal(one.at(found.target)) for one in findings if one.severity == "error"]
    else:
        found.text = text


def _refusal(finding: Finding) -> Refusal:
    return Refusal(finding.rule, render_finding(finding))


def _engine(name: str, stack: Stack | None) -> StackEngine:
    return StackEngine.of(name, sandbox=in_sandbox(stack.environment if stack else None))


def _ran(source: str, release: Release, stack: Stack) -> list[Refusal]:
    engine = _engine(source, stack)
    state = engine.state()
    last = engine.last_update() if state is not None else None
    refusals = list(checks.ran(source, release, state, last))
    if state is None or last is None:
        return refusals
    refusals += checks.same_engine(source, state, engine.version())
    refreshed = engine.refreshed(stack_path(source).read_text(encoding="utf-8"))
    if refreshed.status:
        last_lines = " ".join(refreshed.output.strip().splitlines()[-3:])
        return [*refusals, Refusal("drifted", f"{source} cannot be compared with reality: {last_lines}")]
    drift = drift_of(refreshed.events)
    waiting = [name for name, job in stack.jobs.items() if job.wait_for == "succeeded"]
    refusals += checks.jobs_ended(source, release, waiting, state, drift)
    return [*refusals, *checks.drifted(source, drift)]


def _previewed(target: str, text: str, stack: Stack) -> list[Refusal]:
    engine = _engine(target, stack)
    run = engine.previewed(text, is_new=engine.state() is None)
    return list(checks.breaks_policies(target, run.status, run.events, run.output))


def standing(rules: Rules) -> list[dict[str, Any]]:
    """Returns for each stack in order the release that its file makes, the one promoted to it, and the one it runs.

    `running` is null where the stack was never updated, and `problem` says why it could not be asked for.
    """
    return [_standing(name, rules) for name in rules.order if stack_path(name).is_file()]


def _standing(name: str, rules: Rules) -> dict[str, Any]:
    one: dict[str, Any] = {"stack": name, "configured": None, "promoted": None, "running": None, "updated": None}
    stack = judged_stack(name).stack
    if stack is not None:
        one |= {"configured": stack_release(stack, rules).id, "promoted": stack.release}
    try:
        engine = _engine(name, stack)
        state = engine.state()
        last = engine.last_update() if state is not None else None
    except EngineError as problem:
        return {**one, "problem": str(problem).splitlines()[0]}
    recorded = checks.stack_outputs(state or {}).get("release")
    if isinstance(recorded, Mapping):
        one["running"] = recorded.get("id")
    if last is not None:
        one["updated"] = {"result": last.get("result"), "kind": last.get("kind"), "at": last.get("startTime")}
    return one
