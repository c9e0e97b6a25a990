"""The model that a training pipeline uploads, by Vertex AI's own names; `env` is a map, as in a job's container."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trainingjobs.spec.base import EnvName, EnvValue, Items, Labels, Part, Text


class Port(Part):
    """A port that a serving container listens on."""

    container_port: Annotated[int, Field(ge=1, le=65_535)]


class ModelContainer(Part):
    """The container that serves the model: Vertex AI's ModelContainerSpec."""

    image_uri: Text = Field(examples=["us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-15:latest"])
    command: Items[EnvValue] | None = None
    args: Items[EnvValue] | None = None
    env: dict[EnvName, EnvValue] | None = Field(None, description="Environment variables; values are strings.")
    ports: Items[Port] | None = Field(None, description="Left out: 8080.")
    predict_route: Text | None = None
    health_route: Text | None = None


class ModelToUpload(Part):
    """What becomes of the files that a successful pipeline leaves in AIP_MODEL_DIR."""

    display_name: Annotated[str, Field(min_length=1, max_length=128)]
    description: Text | None = None
    version_aliases: Items[Text] | None = None
    version_description: Text | None = None
    container_spec: ModelContainer | None = None
    artifact_uri: Text | None = Field(
        None, description="Folder of the model's files; left out: the job's own, AIP_MODEL_DIR."
    )
    labels: Labels | None = None
