"""A promotion: everything that is known about it, then what is written. Reads files and asks the engine."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trainingjobs.core.documents import DocumentError, parse_document
from trainingjobs.core.findings import Finding, has_errors, render_finding
from trainingjobs.judge.documents import judge
from trainingjobs.operations.drift import drift_of
from trainingjobs.operations.engine import Engine
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.promotion import checks
from trainingjobs.operations.promotion.checks import Refusal
from trainingjobs.operations.promotion.commit import commit, uncommitted
from trainingjobs.operations.promotion.difference import Change, changes, missing_pools, where
from trainingjobs.operations.promotion.order import Rules, read_rules
from trainingjobs.operations.promotion.records import load, record_path, record_text
from trainingjobs.operations.promotion.release import Release
from trainingjobs.operations.promotion.stack_text import changed_text
from trainingjobs.operations.promotion.versions import stack_release, versions
from trainingjobs.operations.services import in_sandbox
from trainingjobs.project.files import project, write_whole
from trainingjobs.project.judged import judge_stack_named, stack_source
from trainingjobs.spec.stack import Stack

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
    return project().stack_file(name)


def examine(source: str, target: str, older: str | None) -> Promotion:
    """Returns what promoting the source's release, or an older one by its id, would do; nothing is written.

    Raises DocumentError for a file that cannot be read, and StackError where the engine cannot be asked.
    """
    promotion = Promotion(source, target)
    rules = read_rules()
    promotion.refusals += out_of_order(rules, source, target)
    if not {source, target} <= set(rules.order):
        # What would change is of no interest: there is no such step.
        return promotion
    source_stack, target_stack = _stack(source, promotion), _stack(target, promotion)
    if source_stack is None or target_stack is None:
        return promotion
    if older is None:
        promotion.release = stack_release(source_stack, rules)
    else:
        promotion.release = _older(older, promotion)
    target_release = stack_release(target_stack, rules)
    promotion.refusals += tagged(source, promotion.release)
    promotion.refusals += poolless(source, target, promotion.release, target_release)
    base = load(target_stack.release)[0] if target_stack.release else None
    promotion.changes = changes(promotion.release, target_release, base)
    if any(refusal.rule in HOPELESS for refusal in promotion.refusals):
        return promotion
    if promotion.changes or target_stack.release != promotion.release.id:
        _judge_change(promotion)
    stack, release, text = source_stack, promotion.release, promotion.text
    # Two back ends are asked at once: each answer takes seconds.
    with ThreadPoolExecutor(max_workers=2) as pool:
        ran = pool.submit(_ran, source, release, stack) if older is None else None
        previewed = pool.submit(_previewed, target, text, target_stack) if text is not None else None
        promotion.refusals += [
            refusal for future in (ran, previewed) if future is not None for refusal in future.result()
        ]
    return promotion


def out_of_order(rules: Rules, source: str, target: str) -> list[Refusal]:
    """Returns `promotion-order` unless the target comes next after the source."""
    next_stack = rules.next_after(source)
    if next_stack == target:
        return []
    order = " → ".join(rules.order)
    if unknown_stacks := [name for name in dict.fromkeys((source, target)) if name not in rules.order]:
        words = f"{' and '.join(unknown_stacks)}: not in the order {order} (policies/config/promotion.json)"
        return [Refusal("promotion-order", words)]
    fix = f"after {source} comes {next_stack}" if next_stack else f"nothing comes after {source}"
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


def write(promotion: Promotion) -> list[Path]:
    """Writes the release's record, then the target's file, each whole or not at all; returns what was written.

    The record comes first: without the target's file it is a release that nobody runs.
    """
    files = written_files(promotion)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    return list(files)


def write_commit(promotion: Promotion) -> str:
    """Commits the same files on a branch of their own and returns the commit. Raises GitError."""
    files = written_files(promotion)
    release_id = promotion.release.id if promotion.release else ""
    return commit(promotion.branch, f"Promote {release_id} from {promotion.source} to {promotion.target}", files)


def not_committed(promotion: Promotion) -> list[Refusal]:
    """Returns `not-committed` for files that a commit from HEAD would not know. Raises GitError."""
    return [
        Refusal("not-committed", f"{name} is not what HEAD has; commit it first")
        for name in uncommitted([stack_path(promotion.source), stack_path(promotion.target)])
    ]


def written_files(promotion: Promotion) -> dict[Path, str]:
    """Returns the texts that a promotion writes, in their order."""
    if promotion.release is None or promotion.text is None:
        return {}
    record = record_text(promotion.release, promotion.source, promotion.target)
    return {record_path(promotion.release.id): record, stack_path(promotion.target): promotion.text}


def _stack(name: str, promotion: Promotion) -> Stack | None:
    judgement = judge_stack_named(name)
    errors = [finding for finding in judgement.findings if finding.severity == "error"]
    if judgement.stack is None and errors:
        first = errors[0]
        raise DocumentError(first.message, first.fix, ": ".join(part for part in (first.source, first.path) if part))
    if name == promotion.source:
        promotion.refusals += [_refusal(finding) for finding in errors]
    return judgement.stack


def _older(release_id: str, promotion: Promotion) -> Release:
    release, promotions = load(release_id)
    passed = {"source": promotion.source, "target": promotion.target}
    if passed not in promotions:
        promotion.refusals.append(
            Refusal(
                "not-run",
                f"{release_id} was never promoted from {promotion.source} to {promotion.target}; promote its source",
            )
        )
    current_versions = versions()
    promotion.notes += [
        f"{release_id} was made with {key} {version}; this checkout has {current_versions.get(key)}"
        for key, version in release.versions.items()
        if current_versions.get(key) != version
    ]
    return release


def _judge_change(promotion: Promotion) -> None:
    """Makes the target's new text and judges it as `validate` does."""
    path = stack_path(promotion.target)
    release_id = promotion.release.id if promotion.release else ""
    text = changed_text(path.read_text(encoding="utf-8"), promotion.changes, release_id)
    judgement = judge(parse_document(text), replace(stack_source(promotion.target), label=promotion.target))
    if has_errors(judgement.findings):
        promotion.refusals += [_refusal(finding) for finding in judgement.findings if finding.severity == "error"]
    else:
        promotion.text = text


def _refusal(finding: Finding) -> Refusal:
    return Refusal(finding.rule, render_finding(finding))


def _engine(name: str, stack: Stack | None) -> Engine:
    return Engine.asked(name, in_sandbox=in_sandbox(stack.environment if stack else None))


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
    entry: dict[str, Any] = {"stack": name, "configured": None, "promoted": None, "running": None, "updated": None}
    stack = judge_stack_named(name).stack
    if stack is not None:
        entry |= {"configured": stack_release(stack, rules).id, "promoted": stack.release}
    try:
        engine = _engine(name, stack)
        state = engine.state()
        last = engine.last_update() if state is not None else None
    except StackError as problem:
        return {**entry, "problem": str(problem).splitlines()[0]}
    recorded = checks.stack_outputs(state or {}).get("release")
    if isinstance(recorded, Mapping):
        entry["running"] = recorded.get("id")
    if last is not None:
        entry["updated"] = {"result": last.get("result"), "kind": last.get("kind"), "at": last.get("startTime")}
    return entry
