"""The kind customJob: Vertex AI's CustomJob, a body around one CustomJobSpec.

Source: Vertex AI v1 CustomJob reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from trainingjobs.workloads.fields import Field
from trainingjobs.workloads.vertex import VertexWorkload, custom_job_spec
from trainingjobs.workloads.vertex_types import CUSTOM_JOB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainingjobs.core.source import Node
    from trainingjobs.plan.job import JobPlan


class CustomJob(VertexWorkload):
    """A custom training job."""

    kind = "customJob"
    title = "custom job"
    about = "A custom training job on Vertex AI."
    is_default = True
    backs_others = True
    speaks_for_others = True
    token = "trainingjobs:vertex:CustomJob"  # noqa: S105 (a type token)
    collection = "customJobs"
    spec_key = "jobSpec"
    content: ClassVar[Mapping[str, Field]] = {
        "jobSpec": Field("CustomJobSpec", "The body of the job, in Vertex AI's own words.", required=True)
    }
    gcloud_group = "custom-jobs"
    marks = ("jobSpec",)
    known_keys = CUSTOM_JOB
    spec_paths = (("jobSpec",),)

    def content_of(self, plan: JobPlan) -> dict[str, Any]:
        """Returns the CustomJobSpec."""
        return {"jobSpec": custom_job_spec(plan)}

    def read_content(self, body: Node) -> dict[str, Any]:  # noqa: ARG002 (there is nothing beside the spec)
        """Returns nothing: the CustomJobSpec is all."""
        return {}
