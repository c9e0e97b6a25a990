"""What a rule's remedy changes in a job → the resource's properties, written where they stand.

Owns no remedy: those stand beside their rules. Properties are changed as the engine sent them, so that secrets stay
secrets and what is not known yet stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from google.protobuf import struct_pb2

from trainingjobs.facts.job import JobFacts
from trainingjobs.facts.vertex_body import camel
from trainingjobs.policy_pack.observe import inside_secret, plain
from trainingjobs.rules import RULES
from trainingjobs.rules.registry import Levels
from trainingjobs.workloads.vertex import by_token


def remediated(
    token: str, struct: struct_pb2.Struct, rule_ids: Iterable[str], levels: Levels, environment: str | None
) -> Iterator[tuple[str, struct_pb2.Struct]]:
    """Yields each of the rules that changes the resource, with all its properties after that change."""
    kind = by_token(token)
    if kind is None:
        return
    for rule_id in rule_ids:
        rule = RULES[rule_id]
        before = kind.observed_facts(plain(struct), environment)[0]
        after = rule.remedy(before, levels.parameters_of(rule)) if rule.remedy else before
        changed = struct_pb2.Struct()
        changed.CopyFrom(struct)
        _write_labels(changed, before, after)
        _write_images(changed, kind.spec_key, before, after)
        if changed != struct:
            struct = changed
            yield rule_id, changed


def _write_labels(properties: struct_pb2.Struct, before: JobFacts, after: JobFacts) -> None:
    added = {key: value for key, value in after.labels.items() if before.labels.get(key) != value}
    if not added:
        return
    labels = inside_secret(properties.fields["labels"])
    if labels.WhichOneof("kind") in (None, "null_value"):
        labels.struct_value.SetInParent()
    # Labels that are no object are refused by the provider's check: nothing is put in their place.
    if labels.WhichOneof("kind") == "struct_value":
        for key in sorted(added):
            inside_secret(labels.struct_value.fields[key]).string_value = added[key]


def _write_images(properties: struct_pb2.Struct, spec: str, before: JobFacts, after: JobFacts) -> None:
    for was, now in zip(before.pools, after.pools, strict=True):
        if was.image != now.image and now.image is not None and not now.is_python_package:
            pools = _inner(properties.fields[spec], "workerPoolSpecs").list_value
            container = _inner(inside_secret(pools.values[now.position]), "containerSpec")
            _inner(container, "imageUri").string_value = now.image


def _inner(parent: struct_pb2.Value, key: str) -> struct_pb2.Value:
    """Returns the value under a key that is there, in either of its spellings, out of its secret where it is one."""
    fields = inside_secret(parent).struct_value.fields
    return inside_secret(fields[next(name for name in fields if camel(name) == key)])
