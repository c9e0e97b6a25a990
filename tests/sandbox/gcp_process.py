"""The real process of the sandbox's gcp provider, and the engine's side of the conversation with it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import grpc
import pulumi  # noqa: F401 - before the provider's own loading of its messages
import pytest
from google.protobuf import unknown_fields

from sandbox.gcp.wire import read_struct, write_struct
from trainingjobs.engine.sdk import any_pb2, empty_pb2, provider_pb2, provider_pb2_grpc

ROOT = Path(__file__).resolve().parents[2]
STARTER = ROOT / "sandbox" / "bin" / "pulumi-resource-gcp"
CONFIGURATION = {"project": "acme-ml-dev", "region": "us-central1", "zone": "us-central1-a"}

ACCOUNT = "gcp:serviceaccount/account:Account"
BUCKET = "gcp:storage/bucket:Bucket"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
CLUSTER = "gcp:container/cluster:Cluster"
NETWORK = "gcp:compute/network:Network"
NODE_POOL = "gcp:container/nodePool:NodePool"
REPOSITORY = "gcp:artifactregistry/repository:Repository"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"


def sandbox_environment(state: Path) -> dict[str, str]:
    """The environment of a process in the sandbox."""
    places = {key: value for key, value in os.environ.items() if not key.startswith(("GOOGLE_", "GCLOUD_", "CLOUDSDK"))}
    return {**places, "TRAINING_SANDBOX": str(state), "TRAINING_VERTEX_ENDPOINT": "http://127.0.0.1:1"}


def urn(type: str, name: str = "one") -> str:
    return f"urn:pulumi:dev::training::training:stack:Stack${type}::{name}"


class Plugin:
    """A started provider; `state` is its sandbox's folder."""

    def __init__(self, state: Path, environment: dict[str, str] | None = None, *arguments: str) -> None:
        self.state = state
        self.process = subprocess.Popen(
            [STARTER, *(arguments or ("127.0.0.1:1",))],
            stdout=subprocess.PIPE,
            text=True,
            cwd=state,
            env=sandbox_environment(state) if environment is None else environment,
        )
        assert self.process.stdout is not None
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.process.stdout.readline().strip()}")
        self.calls = provider_pb2_grpc.ResourceProviderStub(self.channel)

    def close(self) -> None:
        self.channel.close()
        self.process.terminate()
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def configure(self, **given: Any) -> provider_pb2.ConfigureResponse:
        return self.calls.Configure(provider_pb2.ConfigureRequest(args=write_struct({**CONFIGURATION, **given})))

    def check(
        self, type: str, inputs: dict[str, Any], olds: dict[str, Any] | None = None, **more: Any
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """The checked inputs, and the faults by their path."""
        answer = self.calls.Check(
            provider_pb2.CheckRequest(
                urn=urn(type),
                news=write_struct(inputs),
                olds=write_struct(olds or {}),
                **{"randomSeed": b"seed", **more},
            )
        )
        return read_struct(answer.inputs), {failure.property: failure.reason for failure in answer.failures}

    def create(self, type: str, inputs: dict[str, Any], *, preview: bool = False) -> tuple[str, dict[str, Any]]:
        answer = self.calls.Create(
            provider_pb2.CreateRequest(urn=urn(type), properties=write_struct(inputs), preview=preview)
        )
        return answer.id, read_struct(answer.properties)

    def diff(
        self, type: str, id: str, olds: dict[str, Any], news: dict[str, Any], state: dict[str, Any] | None = None
    ) -> provider_pb2.DiffResponse:
        return self.calls.Diff(
            provider_pb2.DiffRequest(
                urn=urn(type),
                id=id,
                old_inputs=write_struct(olds),
                olds=write_struct({**olds, **(state or {})}),
                news=write_struct(news),
            )
        )

    def update(
        self, type: str, id: str, state: dict[str, Any], news: dict[str, Any], *, preview: bool = False
    ) -> dict[str, Any]:
        request = provider_pb2.UpdateRequest(
            urn=urn(type), id=id, olds=write_struct(state), news=write_struct(news), preview=preview
        )
        return read_struct(self.calls.Update(request).properties)

    def read(
        self, type: str, id: str, inputs: dict[str, Any] | None = None, state: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """The id ("" for one that is gone), the inputs and the properties."""
        answer = self.calls.Read(
            provider_pb2.ReadRequest(
                urn=urn(type), id=id, inputs=write_struct(inputs or {}), properties=write_struct(state or {})
            )
        )
        return answer.id, read_struct(answer.inputs), read_struct(answer.properties)

    def delete(self, type: str, id: str, state: dict[str, Any] | None = None) -> empty_pb2.Empty:
        return self.calls.Delete(provider_pb2.DeleteRequest(urn=urn(type), id=id, properties=write_struct(state or {})))

    def file_of(self, part: str) -> Path:
        """The file of the one resource whose file's name contains this."""
        (path,) = (self.state / "gcp" / "resources").glob(f"*/*{part}*.json")
        return path

    def edit(self, part: str, **properties: Any) -> None:
        """Change a resource outside of the engine."""
        path = self.file_of(part)
        body = json.loads(path.read_text())
        body["properties"].update(properties)
        path.write_text(json.dumps(body))


def init_failure(error: grpc.RpcError) -> provider_pb2.ErrorResourceInitFailed:
    """The detail by which the engine knows that a resource exists although its call failed."""
    status = empty_pb2.Empty.FromString(dict(error.trailing_metadata())["grpc-status-details-bin"])
    (detail,) = (field.data for field in unknown_fields.UnknownFieldSet(status) if field.field_number == 3)
    failed = provider_pb2.ErrorResourceInitFailed()
    assert any_pb2.Any.FromString(detail).Unpack(failed)
    return failed


def refused(call: Any, *arguments: Any, **more: Any) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        call(*arguments, **more)
    return str(caught.value.details())
