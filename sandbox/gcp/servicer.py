# ruff: noqa: ARG002 - gRPC fixes the methods' arguments
"""The plugin's gRPC service: the engine's calls, each answered from the modules beside this one."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import grpc

from sandbox.gcp import cloud, diff, naming, schema, shape
from sandbox.gcp.errors import CloudError, HalfDone
from sandbox.gcp.functions import FUNCTIONS
from sandbox.gcp.provider_settings import Settings, guarded_state, read_settings
from sandbox.gcp.resource_type import Kind
from sandbox.gcp.resource_types import KINDS
from sandbox.gcp.values import hide_as, reveal
from sandbox.gcp.wire import read_struct, write_struct
from trainingjobs.engine.sdk import any_pb2, empty_pb2, plugin_pb2, provider_pb2, provider_pb2_grpc

Method = Callable[[Any, Any, Any], Any]
# The engine knows a resource that exists but failed by a detail of the gRPC status, which travels in this trailer.
STATUS_TRAILER = "grpc-status-details-bin"


def answering(method: Method) -> Method:
    """Return a method whose refusals reach the engine as errors, without a traceback."""

    @functools.wraps(method)
    def wrapped(self: Any, request: Any, context: Any) -> Any:
        try:
            return method(self, request, context)
        except CloudError as error:
            return context.abort(grpc.StatusCode.UNKNOWN, str(error))
        except HalfDone as error:
            if error.outputs is None:
                return context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
            return _abort_half_done(context, error)

    return wrapped


def _abort_half_done(context: Any, error: HalfDone) -> Any:
    # Loaded late: pulumi has a message of the same name, and no process can hold both.
    from google.rpc import status_pb2

    detail = any_pb2.Any()
    init_failure = provider_pb2.ErrorResourceInitFailed(
        id=error.id, properties=write_struct(error.outputs or {}), reasons=[str(error)]
    )
    detail.Pack(init_failure)
    code = grpc.StatusCode.UNKNOWN
    status = status_pb2.Status(code=code.value[0], message=str(error), details=[detail])
    context.set_trailing_metadata(((STATUS_TRAILER, status.SerializeToString()),))
    return context.abort(code, str(error))


def kind_of(urn: str) -> Kind:
    """Return the kind of the resource with this URN; CloudError for a type that the sandbox lacks."""
    token = urn.split("::")[2].rpartition("$")[2]
    if token not in KINDS:
        raise CloudError(schema.failures(token, {})[0][1])
    return KINDS[token]


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """The gcp provider of one engine process; it is configured once."""

    def __init__(self) -> None:
        self.settings = Settings()

    @answering
    def Handshake(self, request: Any, context: Any) -> Any:
        """Return what this provider understands."""
        return provider_pb2.ProviderHandshakeResponse(
            accept_secrets=True, accept_resources=True, accept_outputs=True, supports_autonaming_configuration=True
        )

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        """Return the SDK's version, which the engine compares with the one that the program asks for."""
        return plugin_pb2.PluginInfo(version=schema.version())

    def GetSchema(self, request: Any, context: Any) -> Any:
        """Return an empty schema: programs use the SDK, which has its own."""
        return provider_pb2.GetSchemaResponse(schema=json.dumps({"name": "gcp", "version": schema.version()}))

    @answering
    def CheckConfig(self, request: Any, context: Any) -> Any:
        """Return the configuration as it is."""
        guarded_state()
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:
        """Return whether the configuration changed; resources then judge for themselves whether they must move."""
        changed = read_struct(request.old_inputs) != read_struct(request.news)
        response = provider_pb2.DiffResponse
        return response(changes=response.DIFF_SOME if changed else response.DIFF_NONE)

    @answering
    def Configure(self, request: Any, context: Any) -> Any:
        """Take the configuration; refused outside of a sandbox."""
        guarded_state()
        variables = {key.rpartition(":")[2]: value for key, value in request.variables.items()}
        self.settings = read_settings({**variables, **reveal(read_struct(request.args))})
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True,
            supportsPreview=True,
            acceptResources=True,
            acceptOutputs=True,
            supports_autonaming_configuration=True,
        )

    @answering
    def Check(self, request: Any, context: Any) -> Any:
        """Return the inputs with a name, or every fault of them."""
        token = request.urn.split("::")[2].rpartition("$")[2]
        inputs, olds = read_struct(request.news), read_struct(request.olds)
        failures = schema.failures(token, inputs)
        if token in KINDS:
            autonaming = None
            if request.HasField("autonaming"):
                proposal = request.autonaming
                autonaming = (proposal.proposed_name, type(proposal).Mode.Name(proposal.mode))
            name = request.urn.rpartition("::")[2]
            inputs = naming.with_name(KINDS[token], inputs, olds, name, request.randomSeed, autonaming)
            fault = naming.name_fault(KINDS[token], inputs)
            failures += [fault] if fault and fault[0] not in dict(failures) else []
        check_failures = [provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in failures]
        return provider_pb2.CheckResponse(inputs=write_struct(inputs), failures=check_failures)

    @answering
    def Diff(self, request: Any, context: Any) -> Any:
        """Return what changed, and what of it needs a new resource."""
        kind, news = kind_of(request.urn), read_struct(request.news)
        changes = diff.changes(kind, read_struct(request.old_inputs), read_struct(request.olds), news, self.settings)
        response = provider_pb2.DiffResponse
        replaces = [change.path for change in changes if change.replaces]
        kinds = provider_pb2.PropertyDiff.Kind
        detailed = {
            change.path: provider_pb2.PropertyDiff(
                kind=kinds.Value(change.what + ("_REPLACE" if change.replaces else "")),
                # What comes from the provider's configuration is in no resource's inputs.
                inputDiff=change.path.partition(".")[0].partition("[")[0] in request.old_inputs.fields
                or change.what != "UPDATE",
            )
            for change in changes
        }
        return response(
            changes=response.DIFF_SOME if changes else response.DIFF_NONE,
            replaces=replaces,
            deleteBeforeReplace=bool(replaces) and diff.deletes_before_replace(kind, request.id, news, self.settings),
            diffs=sorted({change.path.partition(".")[0].partition("[")[0] for change in changes}),
            detailedDiff=detailed,
            hasDetailedDiff=True,
        )

    @answering
    def Create(self, request: Any, context: Any) -> Any:
        """Make a resource; in a preview, say what is known of it."""
        state, kind, inputs = guarded_state(), kind_of(request.urn), read_struct(request.properties)
        if request.preview:
            properties = shape.effective(kind, inputs, self.settings)
            shape.id_of(kind, properties)
            preview = shape.previewed(kind, properties, None, self.settings)
            return provider_pb2.CreateResponse(properties=write_struct(preview))
        with_secrets = functools.partial(hide_as, inputs)
        try:
            id, outputs = cloud.create(state, kind, inputs, self.settings)
        except HalfDone as error:
            raise HalfDone(str(error), error.id, error.outputs and with_secrets(error.outputs)) from None
        return provider_pb2.CreateResponse(id=id, properties=write_struct(with_secrets(outputs)))

    @answering
    def Update(self, request: Any, context: Any) -> Any:
        """Change a resource; in a preview, say what is known of the result."""
        state, kind, inputs = guarded_state(), kind_of(request.urn), read_struct(request.news)
        if request.preview:
            properties = shape.effective(kind, inputs, self.settings)
            preview = shape.previewed(kind, properties, read_struct(request.olds), self.settings)
            return provider_pb2.UpdateResponse(properties=write_struct(preview))
        with_secrets = functools.partial(hide_as, inputs)
        try:
            outputs = cloud.update(state, kind, request.id, inputs, self.settings)
        except HalfDone as error:
            raise HalfDone(str(error), error.id, error.outputs and with_secrets(error.outputs)) from None
        return provider_pb2.UpdateResponse(properties=write_struct(with_secrets(outputs)))

    @answering
    def Read(self, request: Any, context: Any) -> Any:
        """Return a resource as it is now; one that is gone has no id."""
        state, kind = guarded_state(), kind_of(request.urn)
        record = cloud.read(state, kind, request.id)
        if record is None:
            return provider_pb2.ReadResponse()
        old_inputs, old_state = read_struct(request.inputs), read_struct(request.properties)
        inputs = cloud.live_inputs(record, old_inputs, old_state)
        return provider_pb2.ReadResponse(
            id=record.id,
            inputs=write_struct(inputs),
            properties=write_struct(hide_as(inputs, record.properties)),
        )

    @answering
    def Delete(self, request: Any, context: Any) -> Any:
        """Delete a resource."""
        state = guarded_state()
        cloud.delete(state, kind_of(request.urn), request.id, read_struct(request.properties))
        return empty_pb2.Empty()

    @answering
    def Invoke(self, request: Any, context: Any) -> Any:
        """Answer a function."""
        guarded_state()
        if request.tok not in FUNCTIONS:
            names = ", ".join(sorted(FUNCTIONS))
            message = f"the sandbox's gcp provider does not answer {request.tok}; it knows {names}"
            return context.abort(grpc.StatusCode.UNIMPLEMENTED, message)
        answer = FUNCTIONS[request.tok](reveal(read_struct(request.args)), self.settings)
        return provider_pb2.InvokeResponse(**{"return": write_struct(answer)})

    def Call(self, request: Any, context: Any) -> Any:
        """Refuse: resources of the gcp provider have no methods."""
        return context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the sandbox's gcp provider has no method {request.tok}")

    def Construct(self, request: Any, context: Any) -> Any:
        """Refuse: the gcp provider has no components."""
        return context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the sandbox's gcp provider has no {request.type}")

    def Cancel(self, request: Any, context: Any) -> Any:
        """Do nothing: every operation ends at once."""
        return empty_pb2.Empty()

    def Attach(self, request: Any, context: Any) -> Any:
        """Do nothing: the provider does not call the engine."""
        return empty_pb2.Empty()

    def GetMapping(self, request: Any, context: Any) -> Any:
        """Return no mapping."""
        return provider_pb2.GetMappingResponse()

    def GetMappings(self, request: Any, context: Any) -> Any:
        """Return no mappings."""
        return provider_pb2.GetMappingsResponse()
