"""What the program says of a careless configuration, before it declares anything."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest

from tests.components.recorder import declared
from tests.unit.jobs import gpu_job

GOOD: dict[str, Any] = {"gcp:project": "acme-ml-dev", "training:jobs": {"bert": gpu_job()}}


@pytest.mark.parametrize(
    ("more", "suggestion"),
    [
        ({"gcp:regoin": "us-central1"}, "gcp:region?"),
        ({"training:enviroment": "dev"}, "training:environment?"),
        ({"trainning:limits": {"maxUsdPerHour": 1}}, "training:limits?"),
        ({"training:environment": "production"}, "prod?"),
        ({"training:unprotect": ["training-ouput"]}, "training-output?"),
    ],
)
def test_a_misspelt_key_or_name_stops_the_program_with_the_nearest(more: dict[str, Any], suggestion: str) -> None:
    with pytest.raises(pulumi.RunError) as caught:
        declared({**GOOD, **more})
    assert suggestion in str(caught.value)


def test_keys_of_the_gcp_provider_are_let_through() -> None:
    assert declared({**GOOD, "gcp:userProjectOverride": "true", "pulumi:disable-default-providers": ["gcp"]})
