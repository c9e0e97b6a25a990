"""Writes docs/rules.md from the registry of rules and the samples: `python -m dev.rules_page`."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

from trainingjobs.facts.infrastructure import ClusterFacts, NetworkFacts, NodePoolFacts
from trainingjobs.facts.job import JobFacts
from trainingjobs.facts.stack import KeptFacts, StackFacts
from trainingjobs.facts.unjudged import UnjudgedFacts
from trainingjobs.rules import RULES, Rule
from trainingjobs.workloads.kubernetes import kubernetes_workloads
from trainingjobs.workloads.registry import observed_only

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
    UnjudgedFacts: "what can run training and is no job",
}
HEAD = """\
# Rules

<!-- Made by `python -m dev.rules_page` from trainingjobs/rules and tests/samples. Do not edit. -->

A rule is written once and judged at every gate: `trainingjobs validate`, the program before it declares anything,
the policy pack before a resource is made (for limits together with all jobs before it, for networks over the whole
stack), and, for the structural rules, the provider's own check. An error stops a run; advice is printed and stops
nothing.

## Whose jobs the pack judges

Whoever declares them, under any token: jobs of Vertex AI that are ours, google-native's, or any resource that holds
`jobSpec`, `trialJobSpec`, `trainingTaskInputs` or `workerPoolSpecs` of one; and these objects of a cluster, in any
version, known by `apiVersion` and `kind` or by the token (also of a CustomResource, a patch, YAML, charts too):

@@objects@@

A Job, CronJob or Pod is judged where a label `training-job` or `training-role`, a device such as `nvidia.com/gpu`, or
one of TF_CONFIG, CLUSTER_SPEC and MASTER_ADDR shows that it trains. Pods and Jobs with both labels are one job's
replicas: each is judged by itself, and with those of its job that came before it. A machine is what labels of nodes
say; where they say none, the rules that need it find nothing. A TrainJob is judged by what it says itself: not by its
runtime.

## Configure

`policies/config/<stack>.json` raises and lowers rules, in Pulumi's policy configuration format:

```json
{
  "required-labels": {"enforcementLevel": "mandatory", "labels": ["team", "cost-center", "owner"]},
  "reducer-image-region": "remediate",
  "reducer-machine": "disabled",
  "image-pinned": {"enforcementLevel": "advisory", "reason": "the registry is moving", "expires": "2027-01-31"}
}
```

| to | write | |
| --- | --- | --- |
| make a rule an error | `"RULE": "mandatory"` | |
| make it advice | `"RULE": "advisory"` | an error needs `reason` and `expires` |
| switch it off | `"RULE": "disabled"` | an error needs `reason` and `expires` |
| have it remediated | `"RULE": "remediate"` | @@able@@ only; what cannot be remediated is an error |
| set a parameter | `"RULE": {"NAME": VALUE}` | the level stays as it is |
| do so for every rule that is not named | `"all": LEVEL` | not `remediate`; it lowers no error |
| change how far ahead `expires` may be | `"schema": {"longestTermDays": DAYS}` | 90 without it, at most 366 |
| limit cost or accelerators | `training:limits` in the stack's file | not here |

- `expires` is the last day on which a lowering holds (UTC), at most `longestTermDays` ahead. Without `reason` and
  `expires`, with a later day, or after that day, the entry is itself an error and the rule stays one. What is lowered
  is printed on every run.
- `all` lowers no error: each needs a line of its own. `"all": "disabled"` is an error itself, and switches off advice.
- A structural rule is never lowered.
- A rule whose severity is another in prod does not take `remediate`, and the pack cannot tell it from silence there:
  `validate` and the program refuse it, a program that is not ours gets the default severity.

### What is remediated

With `remediate` the pack changes a job on Vertex AI before it judges it, and the engine prints `[remediate]`:

| rule | adds or changes | from |
| --- | --- | --- |
| required-labels | the labels that the job lacks | the parameter `values`; `environment` is the stack's |
| reducer-image-region | the reduction server's image | the multi-region of the job's location |

```json
{"required-labels": {"enforcementLevel": "remediate", "values": {"team": "nlp", "cost-center": "research"}}}
```

A label that is required and has no value stays an error. The stack's file stays as it is, and neither rule makes
another job of one that is there: what is remediated applies from the next submission on. `validate` and the program
say as advice what the pack will remediate. Without the pack (plain `pulumi up` that does not name it) nothing is
remediated.

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
    remediable = " and ".join(rule_id for rule_id in _ids() if RULES[rule_id].remedy is not None)
    head = HEAD.replace("@@able@@", remediable).replace("@@objects@@", _objects())
    return "\n".join([head, *table, "", "\n\n".join(sections), ""])


def _objects() -> str:
    """Returns the objects of a cluster that the pack judges."""
    kinds = (*kubernetes_workloads(), *observed_only())
    return "\n".join(textwrap.wrap(", ".join(f"`{kind.object_kind}` ({kind.api_version})" for kind in kinds), 118))


def _ids() -> list[str]:
    return sorted(RULES)


def severity(rule: Rule) -> str:
    """Returns the default severity in words."""
    if rule.structural:
        return "error, structural"
    return rule.severity if rule.severity == rule.prod_severity else f"{rule.severity}, in prod {rule.prod_severity}"


def gates(rule: Rule) -> list[str]:
    """Returns where the rule is judged."""
    if rule.subjects == (UnjudgedFacts,):
        return ["the pack at each resource"]
    places = ["`validate`", "the program", "the pack at each resource"]
    if {StackFacts, NetworkFacts} & set(rule.subjects):
        places.append("the pack over the whole stack")
    return [*places, "the provider's check"] if rule.structural else places


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
    parameters = [f"`{name}` (default {_display(default)})" for name, default in rule.parameters.items()]
    level = "its enforcement level" if rule.remedy is None else "its enforcement level, `remediate` too"
    return "; ".join([level, *parameters])


def _display(default: object) -> str:
    if isinstance(default, Mapping):
        return "none" if not default else f"`{dict(default)}`"
    return f"`[{', '.join(default)}]`" if isinstance(default, tuple) else f"`{default}`"


def sample(rule_id: str) -> Path | None:
    """Returns the sample that the page shows: the first disallowed one, a job document before a Vertex body."""
    samples = sorted((SAMPLES / rule_id).glob("disallowed_*.yaml"), key=lambda path: ("_body_" in path.name, path.name))
    return samples[0] if samples else None


def main() -> None:
    """Writes the page."""
    text = page()
    draft = PAGE.with_suffix(".tmp")
    draft.write_text(text, encoding="utf-8")
    draft.replace(PAGE)
    print(f"{PAGE.relative_to(ROOT)}: {len(RULES)} rules")


if __name__ == "__main__":
    main()
