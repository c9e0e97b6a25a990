"""Pulumi's own `protect` in prod: what is dear to lose is neither replaced nor deleted unless it is named."""

from __future__ import annotations

from collections.abc import Iterable

import pulumi

from trainingjobs.components import tokens

PROTECTED = (tokens.GKE_CLUSTER, tokens.NODE_POOL, tokens.BUCKET, tokens.REPOSITORY)


def protect(environment: str, lifted: Iterable[str]) -> None:
    """Protects clusters, node pools, buckets and repositories of a prod stack, but for those named in `lifted`."""
    if environment != "prod":
        return
    names = frozenset(lifted)

    def decide(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        if args.type_ not in PROTECTED:
            return None
        options = pulumi.ResourceOptions(protect=args.name not in names)
        return pulumi.ResourceTransformationResult(args.props, pulumi.ResourceOptions.merge(args.opts, options))

    pulumi.runtime.register_stack_transformation(decide)
