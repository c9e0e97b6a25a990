"""Fields of Vertex AI's job bodies that a job document does not take, each with the reason.

A test walks the official protos and fails on a field that is neither taken nor listed here. Fields that only the
service writes need no entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BY_THE_SERVICE: Final = "the service writes it"
_OF_SERVING: Final = "it tunes serving, not training; set it when the model is deployed"
_OF_THE_MODEL: Final = "it describes the model to Vertex AI's own tools; set it on the uploaded model"
_OTHER_ORIGIN: Final = "it is of models that do not come from a training job"

LEFT_OUT: Final[Mapping[str, Mapping[str, str]]] = {
    "StudySpec": {
        "studyStoppingConfig": "maxTrialCount and the trials' own timeout already bound a tuning job",
    },
    "StudySpec.MetricSpec": {
        "safetyConfig": "safe exploration is Vizier's, and a tuning job takes only what a trial may report",
    },
    "TrainingPipeline": {
        "inputDataConfig": "a custom task reads its data itself; managed datasets are AutoML's way",
    },
    "Model": {
        **dict.fromkeys(("name", "etag"), _BY_THE_SERVICE),
        **dict.fromkeys(("metadata", "metadataSchemaUri", "predictSchemata", "explanationSpec"), _OF_THE_MODEL),
        **dict.fromkeys(
            ("pipelineJob", "baseModelSource", "checkpoints", "defaultCheckpointId", "dataStats"), _OTHER_ORIGIN
        ),
        "encryptionSpec": "the pipeline's own key encrypts the model too",
    },
    "ModelContainerSpec": dict.fromkeys(
        (
            *("grpcPorts", "invokeRoutePrefix", "deploymentTimeout", "sharedMemorySizeMb"),
            *("startupProbe", "healthProbe", "livenessProbe"),
        ),
        _OF_SERVING,
    ),
}
