"""What a pull request is told of a preview's events."""

from __future__ import annotations

from infra.engine.stack_engine import Run
from tools.pull_request import _of_run

URN = "urn:pulumi:dev::training::trainingjobs:vertex:CustomJob::bert"


def test_findings_come_with_their_level_and_what_the_pack_mends() -> None:
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
    mended = {
        "policyRemediationEvent": {"resourceUrn": URN, "policyName": "required-labels", "before": {}, "after": {}}
    }
    text = "\n".join(_of_run(Run(status=255, events=[*events, mended], output=""), lambda _: None))
    lines = [line for line in text.splitlines() if "bert: " in line]
    assert [line.partition(":")[0] for line in lines] == ["mandatory", "advisory", "remediate"]
    assert [line.rpartition("[")[2] for line in lines] == ["image-pinned]", "failure-plan]", "required-labels]"]
