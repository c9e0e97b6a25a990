"""Google Cloud resources by token, and the one provider of the stack.

Loading the typed classes of pulumi_gcp costs a preview a second; the tokens and keys are compared with them in a test.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol, TypeVar, cast

import pulumi

from trainingjobs.components.tokens import Properties, Token

Written = TypeVar("Written", contravariant=True)


@cache
def _version() -> str:
    return importlib.metadata.version("pulumi-gcp")


def google_provider(project: str, region: str) -> pulumi.ProviderResource:
    """Returns the stack's one gcp provider: project and region are said, never taken from the operator's settings."""
    return pulumi.ProviderResource(
        "gcp", "google", {"project": project, "region": region}, pulumi.ResourceOptions(version=_version())
    )


class GoogleResource(pulumi.CustomResource):
    """A resource of the gcp provider, by token, with the wire's camelCase keys; `outputs` become attributes."""

    def __init__(
        self,
        token: str,
        name: str,
        props: Mapping[str, Any],
        opts: pulumi.ResourceOptions,
        outputs: tuple[str, ...] = (),
    ) -> None:
        with_version = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(version=_version()))
        super().__init__(str(token), name, {**dict.fromkeys(outputs), **props}, with_version)

    def output(self, key: str) -> pulumi.Output[Any]:
        """Returns an output by its key."""
        value: pulumi.Output[Any] = pulumi.get(self, key)
        return value


class Declare(Protocol[Written]):
    """What declares a resource of one type."""

    def __call__(
        self, name: str, props: Written, opts: pulumi.ResourceOptions, outputs: tuple[str, ...] = ()
    ) -> GoogleResource:
        """Declares the resource; `outputs` become attributes."""


def declare(token: Token[Properties]) -> Declare[Properties]:
    """Returns what declares a resource of the token's type; a misspelt key of its properties is a type error."""

    def resource(
        name: str, props: Properties, opts: pulumi.ResourceOptions, outputs: tuple[str, ...] = ()
    ) -> GoogleResource:
        return GoogleResource(token, name, cast(Mapping[str, Any], props), opts, outputs)

    return resource
