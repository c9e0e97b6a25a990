"""A stack as a user writes it: the `training:` keys of stacks/Pulumi.<stack>.yaml beside project and region."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trainingjobs.spec.base import Items, Part, Text
from trainingjobs.spec.cluster import Cluster
from trainingjobs.spec.environments import Environment
from trainingjobs.spec.forms import Form
from trainingjobs.spec.job import Job
from trainingjobs.spec.network import Network

ReleaseId = Annotated[str, Form(r"^r-[0-9a-f]{12}$", "a release's id", "r-0123456789ab")]
VertexJobName = Annotated[
    str,
    Form(
        r"^projects/[^/]+/locations/[^/]+/[A-Za-z]+/[0-9]+$",
        "a Vertex AI job's name",
        "projects/acme-ml-dev/locations/us-central1/customJobs/123",
    ),
]
JobName = Annotated[
    str,
    Form(r"^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$", "a name of at most 40 lower case letters, digits and -", "bert-large"),
]
ProjectId = Annotated[
    str,
    Form(r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$", "a project id of 6 to 30 lower case letters, digits and -", "acme-ml-dev"),
]


class Limits(Part):
    """What the stack may cost and hold; rules hourly-cost and accelerator-quota judge it."""

    max_usd_per_hour: Annotated[float, Field(ge=0)] | None = Field(
        None, description="USD per hour of all pools of the stack together."
    )
    accelerators: dict[Text, Annotated[int, Field(ge=0)]] | None = Field(
        None, description="Accelerators by Vertex AI's name, of all pools together."
    )


class Stack(Part):
    """The configuration of one stack."""

    project: ProjectId = Field(description="Google Cloud project (gcp:project).")
    region: Text = Field("us-central1", description="Region of the jobs (gcp:region).")
    environment: Environment = Field("dev", description="Decides the default severities of the rules.")
    limits: Limits | None = None
    network: Network | None = Field(None, description="For clusters, Compute Engine pools and jobs that ask for one.")
    cluster: Cluster | None = Field(None, description="Where the jobs of gke and kubernetes run.")
    jobs: dict[JobName, Job] = Field(default_factory=dict, description="The jobs by name; none is legal.")
    release: ReleaseId | None = Field(None, description="The release promoted here last; `promote` writes it.")
    unprotect: Items[Text] | None = Field(
        None, description="Names of resources that are not protected in prod, for the one run that replaces them."
    )
    keep_jobs: Items[VertexJobName] | None = Field(
        None, description="Jobs that run on although they were taken out of the stack's state: runs leave them alone."
    )
