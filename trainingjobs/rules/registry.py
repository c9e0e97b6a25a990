"""The registry of rules: how a rule is declared, what its severity is, and how rules are run over facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from trainingjobs.core.findings import Finding, Severity, sort_findings
from trainingjobs.facts.infrastructure import Facts as InfraFacts
from trainingjobs.facts.job import JobFacts, NotKnownError
from trainingjobs.facts.stack import KeptFacts, StackFacts
from trainingjobs.facts.unjudged import UnjudgedFacts

# `remediate`: the policy pack remediates what the rule finds, and what it cannot remediate is an error.
Level = Literal["error", "advice", "off", "remediate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a check found at one path; `advice` keeps it advice whatever the rule's severity."""

    path: str
    message: str
    fix: str = ""
    advice: bool = False


Facts = InfraFacts | StackFacts | KeptFacts | UnjudgedFacts
# A check takes the facts; that of a rule with parameters takes those too.
Check = Callable[..., Iterable[Problem]]
# A remedy takes a job's facts and the rule's parameters, and returns the facts as they are after remediation.
Remedy = Callable[[JobFacts, Mapping[str, Any]], JobFacts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule: its public id, default severity, whether anybody may lower it, its source, and what it judges.

    `parameters` are those that a stack's policy configuration may set, with their defaults; `remedy` fixes what the
    rule finds in a job on Vertex AI, None where only its owner can.
    """

    id: str
    summary: str
    fix: str
    source: str
    severity: Severity
    prod_severity: Severity
    structural: bool
    check: Check
    subjects: tuple[type, ...] = (JobFacts,)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remedy: Remedy | None = None

    def default_severity(self, environment: str | None) -> Severity:
        """Returns the severity without configuration."""
        return self.prod_severity if environment == "prod" else self.severity


@dataclass(frozen=True, slots=True)
class Levels:
    """Severities and parameters that a stack's policy configuration sets, by rule id."""

    by_rule: Mapping[str, Level] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, rule: Rule, environment: str | None) -> Level:
        """Returns the level in force; a structural rule is never lowered."""
        return "error" if rule.structural else self.by_rule.get(rule.id, rule.default_severity(environment))

    def without_remediation(self) -> Levels:
        """Returns the levels where nothing is remediated: what would be is an error."""
        by_rule: dict[str, Level] = {
            rule_id: "error" if level == "remediate" else level for rule_id, level in self.by_rule.items()
        }
        return replace(self, by_rule=by_rule)

    def parameters_of(self, rule: Rule) -> dict[str, Any]:
        """Returns the parameters in force for a rule."""
        return {**rule.parameters, **self.parameters.get(rule.id, {})}


RULES: dict[str, Rule] = {}
DEFAULT_LEVELS = Levels()


def rule(
    rule_id: str,
    *,
    summary: str,
    fix: str,
    source: str,
    severity: Severity = "error",
    prod_severity: Severity | None = None,
    structural: bool = False,
    subjects: tuple[type, ...] = (JobFacts,),
    parameters: Mapping[str, Any] | None = None,
    remedy: Remedy | None = None,
) -> Callable[[Check], Check]:
    """Returns a decorator that registers a check under its public id. Raises ValueError for an id that is taken."""

    def register(check: Check) -> Check:
        if rule_id in RULES:
            message = f"rule {rule_id} is registered twice"
            raise ValueError(message)
        RULES[rule_id] = Rule(
            id=rule_id,
            summary=summary,
            fix=fix,
            source=source,
            severity=severity,
            prod_severity=prod_severity or severity,
            structural=structural,
            check=check,
            subjects=subjects,
            parameters=parameters or {},
            remedy=remedy,
        )
        return check

    return register


def evaluate(
    facts: Facts,
    levels: Levels = DEFAULT_LEVELS,
    *,
    only: Callable[[Rule], bool] = lambda _: True,
    say_unknown: bool = False,
) -> list[Finding]:
    """Returns what the rules find in facts of one resource or of a whole stack, sorted.

    With `say_unknown` a rule that was put off by an unknown field is reported as advice at that field. What the policy
    pack will remediate is advice; what it cannot remediate although it should is an error.
    """
    findings: list[Finding] = []
    for rule_id in sorted(RULES):
        definition = RULES[rule_id]
        level = levels.of(definition, facts.environment)
        if level == "off" or not isinstance(facts, definition.subjects) or not only(definition):
            continue
        parameters = levels.parameters_of(definition)
        if level == "remediate":
            findings += _remediated(definition, facts, parameters, say_unknown)
        else:
            findings += _judged(definition, level, facts, parameters, say_unknown)
    return sort_findings(findings)


def _remediated(definition: Rule, facts: Facts, parameters: Mapping[str, Any], say_unknown: bool) -> Iterator[Finding]:
    """Yields what is left after remediation, as errors, and as advice what is found now and will be remediated."""
    if definition.remedy is None or not isinstance(facts, JobFacts):
        yield from _judged(definition, "error", facts, parameters, say_unknown)
        return
    remaining = list(_judged(definition, "error", definition.remedy(facts, parameters), parameters, say_unknown))
    for finding in remaining:
        suffix = "" if finding.severity == "advice" else "; the policy pack has nothing to remediate it with"
        yield replace(finding, fix=finding.fix + suffix)
    paths = {finding.path for finding in remaining}
    for finding in _judged(definition, "advice", facts, parameters, False):
        if finding.path not in paths:
            yield replace(finding, fix="nothing to do: the policy pack remediates it before the job is declared")


def _judged(
    definition: Rule, level: Severity, facts: Facts, parameters: Mapping[str, Any], say_unknown: bool
) -> Iterator[Finding]:
    try:
        for problem in definition.check(facts, parameters) if definition.parameters else definition.check(facts):
            severity: Severity = "advice" if problem.advice else level
            yield Finding(
                rule=definition.id,
                severity=severity,
                path=problem.path,
                message=problem.message,
                fix=problem.fix or definition.fix,
            )
    except NotKnownError as missing:
        if say_unknown:
            yield Finding(
                rule=definition.id,
                severity="advice",
                path=missing.path,
                message="not known yet, so the rule is judged again once it is",
                fix="nothing to do",
            )
