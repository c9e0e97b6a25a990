"""Writes docs/rules.md from the registry of rules and the samples: `python -m tools.rules_page`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

from infra.plan.facts import JobFacts
from infra.plan.infra_facts import ClusterFacts, NetworkFacts, NodePoolFacts
from infra.plan.rules import RULES, Rule
from infra.plan.stack_facts import KeptFacts, StackFacts

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rules.md"
SAMPLES = ROOT / "tests" / "samples"
SUBJECTS = {
    JobFacts: "a job",
    NodePoolFacts: "a node pool",
    ClusterFacts: "a cluster",
    NetworkFacts: "a network",
    StackFacts: "all jobs of a stack together",
    KeptFacts: "what holds data",
}
HEAD = """\
# Rules

<!-- Made by `python -m tools.rules_page` from infra/plan/rules and tests/samples. Do not edit. -->

A rule is written once and judged at every gate: `python -m infra validate`, the program before it declares anything,
the policy pack before a resource is made (and, for what only several jobs show, over the whole stack), and, for the
structural rules, the provider's own check. An error stops a run; advice is printed and stops nothing.

## Configure

`policies/config/<stack>.json` raises and lowers rules, in Pulumi's policy configuration format:

```json
{
  "required-labels": {"enforcementLevel": "mandatory", "labels": ["team", "cost-center", "owner"]},
  "reducer-machine": "disabled",
  "image-pinned": {"enforcementLevel": "advisory", "reason": "the registry is moving", "expires": "2027-01-31"}
}
```

- `mandatory` makes a rule an error, `advisory` advice, `disabled` switches it off; `all` holds for every rule that is
  not named. `remediate` means mandatory: no rule changes what it judges.
- Lowering an **error** needs a `reason` and `expires`, the last day on which it holds (UTC). Without them, or after
  that day, the entry is a fault and the rule stays an error. What is lowered is printed on every run.
- A structural rule is never lowered.
- Limits of cost and accelerators stand in the stack's `training:limits`, not here.

The pack reads the file by `--policy-pack-config`. A fault of the file is an error of `validate` and of the program; the
pack reports it at the stack, and it lowers nothing.
"""


def page() -> str:
    """Returns the whole page."""
    index = [
        f"| [{rule_id}](#{rule_id}) | {severity(RULES[rule_id])} | {RULES[rule_id].summary} |" for rule_id in _ids()
    ]
    table = ["## All rules", "", "| rule | severity | |", "| --- | --- | --- |", *index]
    sections = ["\n".join(section(RULES[rule_id])) for rule_id in _ids()]
    return "\n".join([HEAD, *table, "", "\n\n".join(sections), ""])


def _ids() -> list[str]:
    return sorted(RULES)


def severity(rule: Rule) -> str:
    """Returns the default severity in words."""
    if rule.structural:
        return "error, structural"
    return rule.severity if rule.severity == rule.prod_severity else f"{rule.severity}, in prod {rule.prod_severity}"


def gates(rule: Rule) -> list[str]:
    """Returns where the rule is judged."""
    at = ["`validate`", "the program", "the pack at each resource"]
    if StackFacts in rule.subjects:
        at.append("the pack over the whole stack")
    return [*at, "the provider's check"] if rule.structural else at


def section(rule: Rule) -> Iterator[str]:
    """Yields the lines of a rule's section."""
    yield f"## {rule.id}"
    yield ""
    yield f"{rule.summary} {inspect.getdoc(rule.check) or ''}".strip()
    yield ""
    yield f"- severity: {severity(rule)}"
    yield f"- judges: {', '.join(SUBJECTS[subject] for subject in rule.subjects)}"
    yield f"- gates: {', '.join(gates(rule))}"
    yield f"- fix: {rule.fix}"
    yield f"- source: {rule.source}"
    yield f"- configure: {_configure(rule)}"
    example = sample(rule.id)
    if example is not None:
        yield ""
        yield f"Refused, or advised against ([more](../tests/samples/{rule.id})):"
        yield ""
        yield "```yaml"
        yield example.read_text(encoding="utf-8").rstrip()
        yield "```"


def _configure(rule: Rule) -> str:
    if rule.structural:
        return "nobody may lower it"
    if StackFacts in rule.subjects:
        return "the number stands in the stack's `training:limits`; without it nothing is judged"
    said = [f"`{name}` (default {_shown(default)})" for name, default in rule.parameters.items()]
    return "; ".join(["its enforcement level", *said])


def _shown(default: object) -> str:
    return f"`[{', '.join(default)}]`" if isinstance(default, tuple) else f"`{default}`"


def sample(rule_id: str) -> Path | None:
    """Returns the sample that the page shows: the first disallowed one, a job document before a Vertex body."""
    found = sorted((SAMPLES / rule_id).glob("disallowed_*.yaml"), key=lambda path: ("_body_" in path.name, path.name))
    return found[0] if found else None


def main() -> None:
    """Writes the page."""
    text = page()
    draft = PAGE.with_suffix(".tmp")
    draft.write_text(text, encoding="utf-8")
    draft.replace(PAGE)
    print(f"{PAGE.relative_to(ROOT)}: {len(RULES)} rules")


if __name__ == "__main__":
    main()
