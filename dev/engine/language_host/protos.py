"""Loads the Pulumi SDK's protocol messages without importing the SDK (which would cost about 0.4 s at each start)."""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

_PACKAGES = ("pulumi", "pulumi.runtime", "pulumi.runtime.proto", "pulumi.runtime.proto.codegen")


def load() -> tuple[ModuleType, ModuleType]:
    """Returns the modules (language_pb2, plugin_pb2). ImportError without the SDK or grpc in this interpreter."""
    spec = find_spec("pulumi")
    if spec is None or spec.origin is None:
        raise ImportError("the Pulumi SDK is not installed")
    root = Path(spec.origin).parent
    for name in _PACKAGES:
        # An empty package with the real folder: its modules load, its costly __init__ does not.
        package = ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    from pulumi.runtime.proto import language_pb2, plugin_pb2

    return language_pb2, plugin_pb2
