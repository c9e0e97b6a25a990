"""The engine's side of the conversation with the pack, in process: requests as the engine makes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as pb

from trainingjobs.policy_pack.analyzer import Analyzer

CUSTOM_JOB = "trainingjobs:vertex:CustomJob"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
LEVELS = {"advisory": pb.ADVISORY, "mandatory": pb.MANDATORY, "disabled": pb.DISABLED, "remediate": pb.REMEDIATE}
WORDS = {value: word for word, value in LEVELS.items()}

Violation = tuple[str, str, str]
# What a lowering of an error says beside its level; its day is near, as it has to be.
FOR_A_REASON = {"reason": "measured otherwise", "expires": (date.today() + timedelta(days=30)).isoformat()}


def secret(value: Any) -> dict[str, Any]:
    """A value as the engine sends a secret."""
    return {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": value}


def configured(config: Mapping[str, Any] | None = None, environment: str | None = None) -> Analyzer:
    """A pack after the engine's three calls; the engine fills in the levels that the file does not set."""
    pack = Analyzer()
    stack = {"training:environment": environment} if environment else {}
    pack.ConfigureStack(pb.AnalyzerStackConfigureRequest(stack="dev", project="training", config=stack), None)
    info = pack.GetAnalyzerInfo(None, None)
    filled: dict[str, Any] = {policy.name: {"enforcementLevel": policy.enforcementLevel} for policy in info.policies}
    given = {
        key: {"enforcementLevel": setting} if isinstance(setting, str) else setting
        for key, setting in (config or {}).items()
    }
    if "all" in given:
        filled = {name: {"enforcementLevel": LEVELS[given["all"]["enforcementLevel"]]} for name in filled}
    for name, setting in given.items():
        entry = filled.setdefault(name, {})
        entry.update({k: LEVELS[v] if k == "enforcementLevel" else v for k, v in setting.items()})
    request = pb.ConfigureAnalyzerRequest()
    for name, entry in filled.items():
        request.policyConfig[name].enforcementLevel = entry.pop("enforcementLevel")
        request.policyConfig[name].properties.update(entry)
    pack.Configure(request, None)
    return pack


def analyzed(pack: Analyzer, inputs: Mapping[str, Any], token: str = CUSTOM_JOB, name: str = "job") -> list[Violation]:
    """What the pack says of a resource: (policy, level, message)."""
    properties = struct_pb2.Struct()
    properties.update(inputs)
    request = pb.AnalyzeRequest(type=token, urn=f"urn:pulumi:dev::training::{token}::{name}", name=name)
    request.properties.CopyFrom(properties)
    return [(d.policyName, WORDS[d.enforcementLevel], d.message) for d in pack.Analyze(request, None).diagnostics]


def remediations(
    pack: Analyzer, inputs: Mapping[str, Any], token: str = CUSTOM_JOB
) -> list[tuple[str, dict[str, Any]]]:
    """What the pack makes of a resource: each policy that changes it, with its properties after that."""
    properties = struct_pb2.Struct()
    properties.update(inputs)
    request = pb.AnalyzeRequest(type=token, urn=f"urn:pulumi:dev::training::{token}::job", name="job")
    request.properties.CopyFrom(properties)
    return [
        (remediation.policyName, _whole(json_format.MessageToDict(remediation.properties)))
        for remediation in pack.Remediate(request, None).remediations
    ]


def _whole(value: Any) -> Any:
    """The provider reads whole numbers as such, although a struct has doubles only."""
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def notes(pack: Analyzer) -> list[Violation]:
    """What the pack says of its configuration: at the stack itself."""
    return analyzed(pack, {}, "pulumi:pulumi:Stack", "training-dev")


def analyzed_stack(pack: Analyzer, jobs: Mapping[str, Mapping[str, Any]]) -> list[Violation]:
    """What the pack says of all jobs of a stack together: (policy, level, message)."""
    request = pb.AnalyzeStackRequest()
    for name, inputs in jobs.items():
        resource = request.resources.add(
            type=CUSTOM_JOB, urn=f"urn:pulumi:dev::training::{CUSTOM_JOB}::{name}", name=name
        )
        resource.properties.update(inputs)
    return [(d.policyName, WORDS[d.enforcementLevel], d.message) for d in pack.AnalyzeStack(request, None).diagnostics]
