"""The roles of a job and their places in Vertex AI's list of worker pools.

Source: Vertex AI distributed training guide, "Configure a distributed training job".
"""

from __future__ import annotations

from typing import Literal

Role = Literal["primary", "workers", "parameterServers", "reducers", "evaluators"]

# Order of the roles in a document and in every listing.
ROLES: tuple[Role, ...] = ("primary", "workers", "parameterServers", "reducers", "evaluators")
POSITION: dict[Role, int] = {"primary": 0, "workers": 1, "parameterServers": 2, "reducers": 2, "evaluators": 3}
MAX_POOLS = 4
# Every word that names a role somewhere: our key, its singular, the platforms' task types.
ALIASES: dict[str, Role] = {
    "primary": "primary",
    "chief": "primary",
    "master": "primary",
    "scheduler": "primary",
    "workers": "workers",
    "worker": "workers",
    "parameterservers": "parameterServers",
    "parameterserver": "parameterServers",
    "ps": "parameterServers",
    "reducers": "reducers",
    "reducer": "reducers",
    "evaluators": "evaluators",
    "evaluator": "evaluators",
}
