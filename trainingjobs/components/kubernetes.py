"""Kubernetes resources by token, and the provider of a cluster.

Loading the typed classes of pulumi_kubernetes costs a preview half a second; the provider's schema checks the tokens.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from functools import cache
from typing import Any

import pulumi

from trainingjobs.components import tokens

SKIP_AWAIT = {"pulumi.com/skipAwait": "true"}
# What Pulumi would wait for by itself: a pod until it is ready, a service until it has endpoints.
AWAITED = ("Pod", "Service")


@cache
def _version() -> str:
    return importlib.metadata.version("pulumi-kubernetes")


def kubernetes_provider(
    identity: str, kubeconfig: pulumi.Input[str] | None, context: str | None, after: pulumi.ResourceOptions
) -> pulumi.ProviderResource:
    """Returns the provider of one cluster; `identity` names it, so that a new address of it replaces nothing."""
    settings: dict[str, Any] = {"clusterIdentifier": identity}
    if kubeconfig is not None:
        settings["kubeconfig"] = kubeconfig
    if context is not None:
        settings["context"] = context
    opts = pulumi.ResourceOptions.merge(after, pulumi.ResourceOptions(version=_version()))
    return pulumi.ProviderResource("kubernetes", "cluster", settings, opts)


class KubernetesObject(pulumi.CustomResource):
    """An object of the API server as it stands in a manifest; `replace` names the parts whose change makes it anew."""

    def __init__(
        self, name: str, body: Mapping[str, Any], opts: pulumi.ResourceOptions, replace: tuple[str, ...] = ()
    ) -> None:
        token = tokens.kubernetes_object(body["apiVersion"], body["kind"])
        placed = dict(body)
        if body["kind"] in AWAITED:
            metadata = body["metadata"]
            placed = {
                **body,
                "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **SKIP_AWAIT}},
            }
        options = pulumi.ResourceOptions(
            version=_version(), replace_on_changes=list(replace) or None, delete_before_replace=True
        )
        super().__init__(token, name, placed, pulumi.ResourceOptions.merge(opts, options))
