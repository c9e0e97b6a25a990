"""The engine's Analyzer protocol: one policy a rule, and for each finding the level that the rules give it.

Served by hand and not by pulumi_policy's PolicyPack, which has one level a policy: a rule here reports errors and
advice (too few reducers, too many of them), some defaults follow the environment of the resource, nobody lowers a
structural rule, and one unknown value would switch a whole policy off. The engine takes the level from each diagnostic.

Resources are judged one by one, before they are made and after what is to be remediated has been. Limits add up over
the jobs as they come: the stack's own call is the last of a run, when the jobs are submitted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import analyzer_pb2 as pb
from pulumi.runtime.proto import analyzer_pb2_grpc, plugin_pb2

from trainingjobs.core.findings import SCHEMA, Finding
from trainingjobs.engine.shown_findings import not_shown
from trainingjobs.facts.infrastructure import Range
from trainingjobs.policy_pack.clusters import clusters_together
from trainingjobs.policy_pack.configuration import Configuration, registered_level
from trainingjobs.policy_pack.environment import configured_environment, unsaid_environment
from trainingjobs.policy_pack.limits import JobsOfRun, configured_limits
from trainingjobs.policy_pack.networks import configured_ranges, overlaps, overlaps_together
from trainingjobs.policy_pack.observe import judged, observed_facts, observed_job
from trainingjobs.policy_pack.protection import configured_lifting, unprotected, with_lifting
from trainingjobs.policy_pack.remediation import remediated
from trainingjobs.policy_pack.replicas import ReplicasOfRun
from trainingjobs.policy_pack.unjudged import unjudged
from trainingjobs.rules import RULES
from trainingjobs.rules.enforcement import LONGEST_TERM

NAME = "training"
VERSION = "1.0.0"
ROOT_STACK = "pulumi:pulumi:Stack"
SCHEMA_SUMMARY = "A resource is well-formed: what a rule cannot read it cannot judge."
_PARAMETER_SCHEMAS: dict[type, Any] = {
    tuple: {"type": "array", "items": {"type": "string"}},
    dict: {"type": "object", "additionalProperties": {"type": "string"}},
    int: {"type": "number"},
    float: {"type": "number"},
}
LEVELS = {"error": pb.MANDATORY, "advice": pb.ADVISORY}


class Analyzer(analyzer_pb2_grpc.AnalyzerServicer):
    """One method a call of the protocol; each returns that call's response message."""

    def __init__(self) -> None:
        self.environment: str | None = None
        self.of_environment: list[Finding] = []
        self.jobs = JobsOfRun()
        self.replicas = ReplicasOfRun()
        self.lifted: frozenset[str] = frozenset()
        self.reserved: tuple[Range, ...] = ()
        self.configuration = Configuration()

    def Handshake(self, request: Any, context: Any) -> pb.AnalyzerHandshakeResponse:  # noqa: ARG002
        """Needs nothing of the engine."""
        return pb.AnalyzerHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: Any) -> plugin_pb2.PluginInfo:  # noqa: ARG002
        """Says the pack's version."""
        return plugin_pb2.PluginInfo(version=VERSION)

    def GetAnalyzerInfo(self, request: Any, context: Any) -> pb.AnalyzerInfo:  # noqa: ARG002
        """Lists the policies: every rule under its id, and `schema`."""
        schema = pb.PolicyInfo(
            name=SCHEMA,
            description=SCHEMA_SUMMARY,
            enforcementLevel=registered_level(SCHEMA),
            policy_type=pb.POLICY_TYPE_RESOURCE,
        )
        schema.configSchema.properties.update({LONGEST_TERM: {"type": "number"}})
        policies = [*(_policy(rule_id) for rule_id in sorted(RULES)), schema]
        return pb.AnalyzerInfo(name=NAME, version=VERSION, supportsConfig=True, policies=policies)

    def ConfigureStack(self, request: Any, context: Any) -> pb.AnalyzerStackConfigureResponse:  # noqa: ARG002
        """Keeps the stack's environment, its limits, its ranges, its lifting; a run begins, with no job yet."""
        self.environment, self.of_environment = configured_environment(request.config)
        self.jobs = JobsOfRun(configured_limits(request.config), self.environment)
        self.replicas = ReplicasOfRun()
        self.lifted = configured_lifting(request.config)
        self.reserved = configured_ranges(request.config)
        return pb.AnalyzerStackConfigureResponse()

    def Configure(self, request: Any, context: Any) -> empty_pb2.Empty:  # noqa: ARG002
        """Takes the severities of `--policy-pack-config`."""
        self.configuration = Configuration.of(request, self.environment)
        return empty_pb2.Empty()

    def Analyze(self, request: Any, context: Any) -> pb.AnalyzeResponse:  # noqa: ARG002
        """Judges one resource by its inputs; the stack itself carries what there is to say of the configuration."""
        if request.type == ROOT_STACK:
            return _response([*self.of_environment, *self.configuration.notes])
        levels, token, props = self.configuration.levels, request.type, request.properties
        observed = observed_facts(token, props, self.environment)
        job = observed_job(token, props, observed)
        findings = [
            *judged(token, props, observed, levels, self.environment),
            *overlaps(token, props, self.reserved, levels, self.environment),
            *(self.jobs.findings_with(request.urn, job, levels) if job else ()),
            *(self.replicas.findings_with(request.urn, job[0], levels) if job else ()),
            *(() if job else unjudged(token, props, levels, self.environment)),
            *with_lifting(
                unprotected(token, props, request.options.protect, levels, self.environment), request.name, self.lifted
            ),
        ]
        return _response(findings)

    def AnalyzeStack(self, request: Any, context: Any) -> pb.AnalyzeResponse:  # noqa: ARG002
        """Judges the ranges of each network, and of all jobs together what no job's own call has told."""
        levels, resources = self.configuration.levels, request.resources
        observed_jobs = {
            r.urn: observed_job(r.type, r.properties, observed_facts(r.type, r.properties, self.environment))
            for r in resources
        }
        jobs = {urn: job for urn, job in observed_jobs.items() if job is not None}
        findings = [
            *unsaid_environment(resources, self.environment),
            *self.jobs.stack_findings(jobs, levels),
            *self.replicas.stack_findings({urn: facts for urn, (facts, _) in jobs.items()}, levels),
            *overlaps_together(resources, self.reserved, levels, self.environment),
            *clusters_together(resources, levels, self.environment),
        ]
        return _response(findings)

    def Remediate(self, request: Any, context: Any) -> pb.RemediateResponse:  # noqa: ARG002
        """Remediates what the stack's configuration asks for; the engine judges the resource after that."""
        changed = remediated(
            request.type,
            request.properties,
            self.configuration.remediated,
            self.configuration.levels,
            self.environment,
        )
        return pb.RemediateResponse(
            remediations=[
                pb.Remediation(
                    policyName=rule_id,
                    policyPackName=NAME,
                    policyPackVersion=VERSION,
                    description=RULES[rule_id].summary,
                    properties=properties,
                )
                for rule_id, properties in changed
            ]
        )

    def Cancel(self, request: Any, context: Any) -> empty_pb2.Empty:  # noqa: ARG002
        """Has nothing under way that could be stopped."""
        return empty_pb2.Empty()


def _policy(rule_id: str) -> pb.PolicyInfo:
    rule = RULES[rule_id]
    info = pb.PolicyInfo(
        name=rule_id,
        description=rule.summary,
        enforcementLevel=registered_level(rule_id),
        policy_type=pb.POLICY_TYPE_RESOURCE,
        remediation_steps=rule.fix,
    )
    schemas = {name: _PARAMETER_SCHEMAS[type(default)] for name, default in rule.parameters.items()}
    info.configSchema.properties.update({"reason": {"type": "string"}, "expires": {"type": "string"}, **schemas})
    return info


def _response(findings: Iterable[Finding]) -> pb.AnalyzeResponse:
    return pb.AnalyzeResponse(
        diagnostics=[
            pb.AnalyzeDiagnostic(
                policyName=finding.rule,
                policyPackName=NAME,
                policyPackVersion=VERSION,
                description=RULES[finding.rule].summary if finding.rule in RULES else SCHEMA_SUMMARY,
                message=_message(finding),
                enforcementLevel=LEVELS[finding.severity],
            )
            for finding in not_shown(findings)
        ]
    )


def _message(finding: Finding) -> str:
    fix = f"; {finding.fix}" if finding.fix else ""
    return f"{finding.path}: {finding.message}{fix}"
