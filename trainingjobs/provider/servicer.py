"""The provider's gRPC service: the engine's requests in, calls of job and completion, and answers out.

Owns no meaning of a resource. The raw service, not Pulumi's experimental server: that one passes no old inputs to
Diff, and cannot name the property of a check failure.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeVar

import grpc

from trainingjobs.clients.errors import Interrupted, ServiceError
from trainingjobs.clients.operation import Operation
from trainingjobs.engine.sdk import empty_pb2, plugin_pb2, provider_pb2, provider_pb2_grpc
from trainingjobs.engine.values import UNKNOWN_WIRE, from_struct, to_struct
from trainingjobs.provider import completion, job, job_diff
from trainingjobs.provider.engine_log import EngineLog
from trainingjobs.provider.job_diff import Verdict
from trainingjobs.provider.schema import schema
from trainingjobs.workloads.vertex import VertexWorkload, by_token
from trainingjobs.workloads.vertex_resources import VERSION, resources

T = TypeVar("T")

_KINDS: Final = provider_pb2.PropertyDiff
_UPDATE_KINDS: Final = {
    "add": _KINDS.ADD, "delete": _KINDS.DELETE, "update": _KINDS.UPDATE, "unknown": _KINDS.UPDATE
}  # fmt: skip
_REPLACE_KINDS: Final = {
    "add": _KINDS.ADD_REPLACE, "delete": _KINDS.DELETE_REPLACE, "update": _KINDS.UPDATE_REPLACE,
    "unknown": _KINDS.UPDATE_REPLACE,
}  # fmt: skip


class Servicer(provider_pb2_grpc.ResourceProviderServicer):
    """Answers the engine. One instance serves all calls of a run, many at once."""

    def __init__(self) -> None:
        self.log = EngineLog()
        self._stopping = threading.Event()
        self._state_id = ""
        self._taken_over: set[str] = set()

    def Handshake(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Takes the engine's address: it comes first."""
        self.log.connect(request.engine_address)
        return provider_pb2.ProviderHandshakeResponse()

    def Attach(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Takes the address of another engine."""
        self.log.connect(request.address)
        return empty_pb2.Empty()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Answers the plugin's version."""
        return plugin_pb2.PluginInfo(version=VERSION)

    def GetSchema(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Answers the package's schema."""
        return provider_pb2.GetSchemaResponse(schema=schema())

    def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Accepts any configuration: there is none."""
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Answers that a change of the provider's configuration changes nothing."""
        # Never a replacement: the provider's id is what keeps this state's jobs apart from everybody else's.
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Takes the provider resource's id."""
        # The engine makes a random id when the provider's resource is first created, and keeps it in the state.
        self._stopping.clear()
        self._taken_over.clear()
        self._state_id = "" if request.id in UNKNOWN_WIRE else request.id
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Ends every wait."""
        # Sent at the end of every run: it ends waits, and never touches a job.
        self._stopping.set()
        return empty_pb2.Empty()

    def Check(self, request: Any, context: Any) -> Any:
        """Answers what is wrong with the inputs, by property path."""
        kind, news = self._kind(request.urn, context), from_struct(request.news)
        problems = job.check(kind, news) if kind else completion.check(news)
        failures = [provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in problems]
        return provider_pb2.CheckResponse(inputs=request.news, failures=failures)

    def Diff(self, request: Any, context: Any) -> Any:
        """Answers what the new inputs mean for the resource."""
        op, kind = self._operation(request, context), self._kind(request.urn, context)
        olds, old_inputs, news = (from_struct(s) for s in (request.olds, request.old_inputs, request.news))
        verdict = self._guarded(
            context,
            lambda: job_diff.diff(op, kind, request.id, olds, old_inputs, news)
            if kind
            else completion.diff(olds, news),
        )
        return _diff_response(verdict)

    def Create(self, request: Any, context: Any) -> Any:
        """Submits the job, or waits for it."""
        op, kind = self._operation(request, context), self._kind(request.urn, context)
        inputs = from_struct(request.properties)
        if not self._state_id and not request.preview:
            self._fail(context, "the engine gave the provider no id, so a job could not be told from another state's; "
                                "use the Pulumi version that requirements.txt names")  # fmt: skip
        job_id, outputs = self._guarded(
            context,
            lambda: job.create(op, kind, inputs, self._state_id, preview=request.preview)
            if kind
            else completion.create(op, inputs, preview=request.preview),
        )
        return provider_pb2.CreateResponse(id=job_id, properties=to_struct(outputs))

    def Read(self, request: Any, context: Any) -> Any:
        """Answers how the resource is now; an empty id where it is gone."""
        op, kind = self._operation(request, context), self._kind(request.urn, context)
        outputs, inputs = from_struct(request.properties), from_struct(request.inputs)
        state = self._guarded(
            context,
            lambda: job.read(op, kind, request.id, outputs, inputs)
            if kind
            else _read_completion(op, request.id, outputs, inputs),
        )
        if state is None:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(id=request.id, properties=to_struct(state[0]), inputs=to_struct(state[1]))

    def Update(self, request: Any, context: Any) -> Any:
        """Changes what can be changed without another job."""
        op, kind = self._operation(request, context), self._kind(request.urn, context)
        outputs, inputs = from_struct(request.olds), from_struct(request.news)
        updated = self._guarded(
            context,
            lambda: job.update(outputs, inputs)
            if kind
            else completion.update(op, outputs, inputs, preview=request.preview),
        )
        return provider_pb2.UpdateResponse(properties=to_struct(updated))

    def Delete(self, request: Any, context: Any) -> Any:
        """Stops the job and deletes its record; a wait needs nothing."""
        op, kind = self._operation(request, context), self._kind(request.urn, context)
        outputs = {**from_struct(request.old_inputs), **from_struct(request.properties)}
        if kind:
            self._guarded(context, lambda: job.delete(op, request.id, outputs))
        return empty_pb2.Empty()

    def _operation(self, request: Any, context: Any) -> Operation:
        timeout = float(getattr(request, "timeout", 0.0))
        return Operation(request.urn, self.log, self._stopping, context.is_active, timeout, self._taken_over)

    def _kind(self, urn: str, context: Any) -> VertexWorkload | None:
        """Returns the kind of job of a resource, None for a Completion; fails for any other type."""
        token = urn.split("::")[2].rpartition("$")[2] if urn.count("::") >= 3 else urn
        known = resources()
        if token not in known:
            self._fail(context, f"unknown resource type {token}; known are {', '.join(sorted(known))}")
        return by_token(token)

    def _guarded(self, context: Any, work: Callable[[], T]) -> T:
        try:
            return work()
        except ServiceError as failure:
            self._fail(context, str(failure))
        except Interrupted:
            self._fail(context, "stopped before it was done; the next run goes on with it")

    def _fail(self, context: Any, message: str) -> NoReturn:
        context.abort(grpc.StatusCode.UNKNOWN, message)
        raise AssertionError("unreachable: abort raises")


def _read_completion(
    op: Operation, read_id: str, outputs: dict[str, object], inputs: dict[str, object]
) -> tuple[dict[str, object], dict[str, object]] | None:
    inputs = inputs or completion.imported(read_id)
    state = completion.read(op, outputs or inputs)
    return None if state is None else (state, inputs)


def _diff_response(verdict: Verdict) -> Any:
    detailed = {
        path: provider_pb2.PropertyDiff(kind=kinds[kind], inputDiff=True)
        for changes, kinds in ((verdict.updates, _UPDATE_KINDS), (verdict.replaces, _REPLACE_KINDS))
        for path, kind in changes.items()
    }
    change_flag = provider_pb2.DiffResponse.DIFF_SOME if detailed else provider_pb2.DiffResponse.DIFF_NONE
    return provider_pb2.DiffResponse(
        changes=change_flag,
        replaces=sorted({_top(path) for path in verdict.replaces}),
        diffs=sorted({_top(path) for path in detailed}),
        detailedDiff=detailed,
        hasDetailedDiff=True,
        deleteBeforeReplace=True,
    )


def _top(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
