"""The engine's LanguageRuntime service (pulumi/language.proto) for Python; a method left out answers UNIMPLEMENTED."""

import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

import grpc
from children import Child, Children
from environments import EnvironmentMissing, activated, install_steps, installed, python_of
from google.protobuf.empty_pb2 import Empty
from protos import load

pb, plugin_pb = load()

EXECUTOR = Path(__file__).resolve().parents[1] / "pulumi-language-python-exec"
MESSAGE_ALREADY_SHOWN = 32  # the executor's exit status after it told the user what is wrong
IMPORTED = b"# Imported. This language host writes no code; `pulumi stack export` shows the inputs to declare.\n"
MAX_CALLS = 256  # a program and each plugin hold one thread as long as they run


def serve(*, engine_address: str, children: Children) -> tuple[grpc.Server, int]:
    """Starts the service on loopback; returns it and its port. It ends when the server object is let go."""
    server = grpc.server(
        ThreadPoolExecutor(MAX_CALLS),
        options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)],
    )
    server.add_generic_rpc_handlers((_handlers(LanguageHost(engine_address, children)),))
    port: int = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def _handlers(host: "LanguageHost") -> Any:
    def written(message: Any) -> bytes:
        return bytes(message.SerializeToString())

    def unary(method: Callable[..., Any], request: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(method, request.FromString, written)

    def stream(method: Callable[..., Any], request: Any) -> Any:
        return grpc.unary_stream_rpc_method_handler(method, request.FromString, written)

    return grpc.method_handlers_generic_handler(
        "pulumirpc.LanguageRuntime",
        {
            "Handshake": unary(host.handshake, pb.LanguageHandshakeRequest),
            "GetPluginInfo": unary(host.plugin_info, Empty),
            "GetRequiredPackages": unary(host.required_packages, pb.GetRequiredPackagesRequest),
            "GetRequiredPlugins": unary(host.required_plugins, pb.GetRequiredPluginsRequest),
            "Run": unary(host.run, pb.RunRequest),
            "RunPlugin": stream(host.run_plugin, pb.RunPluginRequest),
            "InstallDependencies": stream(host.install_dependencies, pb.InstallDependenciesRequest),
            "About": unary(host.about, pb.AboutRequest),
            "GetProgramDependencies": unary(host.program_dependencies, pb.GetProgramDependenciesRequest),
            "GenerateProgram": unary(host.generate_program, pb.GenerateProgramRequest),
        },
    )


class LanguageHost:
    """One method a call of the service; each returns that call's response message."""

    def __init__(self, engine_address: str, children: Children) -> None:
        self.engine_address = engine_address
        self.children = children

    def handshake(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Takes the engine's address, where the engine attached to a running host."""
        self.engine_address = request.engine_address or self.engine_address
        return pb.LanguageHandshakeResponse()

    def plugin_info(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Says the version: that of the SDK that this host speaks for."""
        from importlib.metadata import version

        return plugin_pb.PluginInfo(version=version("pulumi"))

    def required_packages(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Names nothing: the engine loads a provider when a resource needs it, and an SDK that is merely installed
        must not start a download."""
        return pb.GetRequiredPackagesResponse()

    def required_plugins(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Names nothing, for the same reason."""
        return pb.GetRequiredPluginsResponse()

    def run(self, request: Any, context: Any) -> Any:
        """Runs the program to its end. Its output goes straight to the host's own, which the engine shows."""
        env = activated(request.info, os.environ)
        env["PULUMI_CONFIG"] = json.dumps(dict(request.config))
        env["PULUMI_CONFIG_SECRET_KEYS"] = json.dumps(list(request.configSecretKeys))
        try:
            python = python_of(request.info)
            arguments = [str(EXECUTOR), *self._executor_arguments(request)]
            child = self.children.start(python, arguments, env=env, cwd=None, captured=False)
        except (EnvironmentMissing, OSError) as error:
            return pb.RunResponse(error=str(error))
        context.add_callback(child.stop)
        return _run_response(child)

    def _executor_arguments(self, request: Any) -> list[str]:
        given = {
            "monitor": request.monitor_address,
            "engine": self.engine_address,
            "project": request.project,
            "root_directory": request.info.root_directory,
            "stack": request.stack,
            "pwd": request.pwd,
            "dry_run": "true" if request.dryRun else "false",
            "parallel": str(request.parallel),
            "organization": request.organization,
        }
        options = [part for name, value in given.items() if value for part in (f"--{name}", value)]
        return [*options, request.info.entry_point or ".", *request.args]

    def run_plugin(self, request: Any, context: Any) -> Iterator[Any]:
        """Runs a plugin that is a Python program, or a policy pack, to its end; streams its output and exit status."""
        program = request.info.program_directory
        analyzer = request.kind == "analyzer"
        arguments = ["-m", "pulumi.policy", *request.args, program] if analyzer else [program, *request.args]
        base = dict(entry.split("=", 1) for entry in request.env) or os.environ
        try:
            python, env = python_of(request.info), activated(request.info, base)
            child = self.children.start(python, arguments, env=env, cwd=request.pwd or None, captured=True)
        except (EnvironmentMissing, OSError) as error:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        context.add_callback(child.stop)
        for name, chunk in _output(child.popen):
            yield pb.RunPluginResponse(**{name: chunk})
        status = child.wait()
        yield pb.RunPluginResponse(exitcode=128 - status if status < 0 else status)

    def install_dependencies(self, request: Any, context: Any) -> Iterator[Any]:
        """Makes the program's virtual environment and installs its requirements; streams the output."""
        try:
            steps = install_steps(request.info)
        except EnvironmentMissing as error:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        for step in steps:
            popen = subprocess.Popen(  # the project's own interpreter and pip
                step, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            context.add_callback(popen.terminate)
            for name, chunk in _output(popen):
                yield pb.InstallDependenciesResponse(**{name: chunk})
            if popen.wait():
                context.abort(grpc.StatusCode.INTERNAL, f"{' '.join(step)}: exit status {popen.returncode}")

    def about(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Says which Python a program of these options runs with."""
        try:
            executable = str(python_of(request.info))
        except EnvironmentMissing as error:
            executable = str(error)
        return pb.AboutResponse(executable=executable, version=platform.python_version())

    def program_dependencies(self, request: Any, context: Any) -> Any:
        """Lists the distributions installed for a program."""
        try:
            found = installed(request.info, pb, transitive=request.transitiveDependencies)
        except (EnvironmentMissing, OSError, subprocess.CalledProcessError) as error:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        return pb.GetProgramDependenciesResponse(dependencies=found)

    def generate_program(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        """Writes a comment in place of the code that `pulumi import` offers: an import must not fail for want of it."""
        return pb.GenerateProgramResponse(source={"__main__.py": IMPORTED})


def _run_response(child: Child) -> Any:
    """Waits for the program and returns what its end means to the engine."""
    status = child.wait()
    if child.stopped or status == MESSAGE_ALREADY_SHOWN:
        return pb.RunResponse(bail=True)
    if status < 0:
        return pb.RunResponse(error=f"the program was ended by signal {-status}")
    return pb.RunResponse(error=f"Program exited with non-zero exit code: {status}" if status else "")


def _output(popen: subprocess.Popen[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yields ("stdout" | "stderr", chunk) as they come, until both streams are closed."""
    chunks: SimpleQueue[tuple[str, bytes]] = SimpleQueue()

    def pump(name: str, stream: IO[bytes]) -> None:
        while chunk := os.read(stream.fileno(), 65536):
            chunks.put((name, chunk))
        chunks.put((name, b""))

    streams = [(name, stream) for name, stream in (("stdout", popen.stdout), ("stderr", popen.stderr)) if stream]
    for name, stream in streams:
        Thread(target=pump, args=(name, stream), daemon=True).start()
    closed = 0
    while closed < len(streams):
        name, chunk = chunks.get()
        if chunk:
            yield name, chunk
        else:
            closed += 1
