"""The comment on a pull request, of a preview's events."""

from __future__ import annotations

from trainingjobs.operations.engine import Preview
from trainingjobs.report.pull_request import _of_run

URN = "urn:pulumi:dev::training::trainingjobs:vertex:CustomJob::bert"


def test_findings_come_with_their_level_and_what_the_pack_remediates() -> None:
    events = [
        {
            "policyEvent": {
                "resourceUrn": URN,
                "policyName": name,
                "enforcementLevel": level,
                "message": f"<{{%reset%}}>{level}:\n  a finding<{{%reset%}}>",
            }
        }
        for name, level in (("failure-plan", "advisory"), ("image-pinned", "mandatory"))
    ]
    remediation = {
        "policyRemediationEvent": {"resourceUrn": URN, "policyName": "required-labels", "before": {}, "after": {}}
    }
    text = "\n".join(_of_run(Preview(status=255, events=[*events, remediation], output=""), lambda _: None))
    lines = [line for line in text.splitlines() if "bert: " in line]
    assert [line.partition(":")[0] for line in lines] == ["mandatory", "advisory", "remediate"]
    assert [line.rpartition("[")[2] for line in lines] == ["image-pinned]", "failure-plan]", "required-labels]"]
