"""Runs the program of a stack without an engine and records what it registers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi.runtime import mocks
from pulumi.runtime.config import set_all_config
from pulumi.runtime.stack import run_pulumi_func

from infra.program import main

AUTHORITY = "Y2VydA=="


@dataclass(frozen=True)
class Registered:
    """One resource: its token, its name, its inputs."""

    token: str
    name: str
    inputs: Mapping[str, Any]
    provider: str = ""


@dataclass
class Recorder(mocks.Mocks):
    """Answers as a cloud would: an id of the name, the inputs, and the outputs that programs hand on."""

    resources: list[Registered] = field(default_factory=list)

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.resources.append(Registered(args.typ, args.name, args.inputs, args.provider or ""))
        outputs = {"name": args.name, **args.inputs, "selfLink": f"link/{args.inputs.get('name', args.name)}"}
        if args.typ == "gcp:container/cluster:Cluster":
            outputs |= {"endpoint": "203.0.113.1", "masterAuth": {"clusterCaCertificate": AUTHORITY}}
        if args.typ == "gcp:serviceaccount/account:Account":
            outputs["member"] = f"serviceAccount:{args.inputs['accountId']}"
        if args.typ == "gcp:compute/instanceTemplate:InstanceTemplate":
            outputs["selfLinkUnique"] = f"unique/{args.name}"
        if args.typ == "pulumi:pulumi:StackReference":
            network = {
                "network": "link/shared",
                "subnetwork": "link/shared-nodes",
                "gpuNetworks": {},
                "attachment": None,
            }
            outputs |= {"outputs": {"network": network}, "secretOutputNames": []}
        if args.typ.startswith("kubernetes:"):
            outputs["metadata"] = {**args.inputs["metadata"], "uid": "0000-0001"}
        return f"id/{args.name}", outputs

    def call(self, args: mocks.MockCallArgs) -> dict[str, Any]:
        return {"endpoint": "203.0.113.2", "masterAuths": [{"clusterCaCertificate": AUTHORITY}], "args": args.args}


def declared(config: Mapping[str, Any], stack: str = "test") -> list[Registered]:
    """Returns everything that the program declares for a stack file's `config`."""
    recorder = Recorder()
    asyncio.set_event_loop(asyncio.new_event_loop())
    mocks.set_mocks(recorder, project="training", stack=stack, preview=False)
    set_all_config({key: value if isinstance(value, str) else json.dumps(value) for key, value in config.items()})
    try:
        asyncio.get_event_loop().run_until_complete(run_pulumi_func(main))
    finally:
        set_all_config({})
        pulumi.runtime.settings.reset_options()
    return recorder.resources


def of(resources: list[Registered], token: str, name: str | None = None) -> list[Registered]:
    """Returns the registrations of a token, or of a token and a name."""
    return [each for each in resources if each.token == token and (name is None or each.name == name)]


def the_only(resources: list[Registered], token: str, name: str | None = None) -> Mapping[str, Any]:
    """Returns the inputs of the one registration of a token."""
    matching = of(resources, token, name)
    assert len(matching) == 1, (token, name, [each.name for each in of(resources, token)])
    return matching[0].inputs
