"""The engine's gRPC messages for plugins: out of the pulumi package, without importing the package.

`import pulumi.runtime.proto` runs pulumi's own __init__, which loads 300 modules; the generated modules need only their
folder. The parents are therefore put in place empty; in a process that has pulumi already, its own ones are used.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path


def _put_empty_parents() -> list[str]:
    if "pulumi" in sys.modules:
        return []
    spec = importlib.util.find_spec("pulumi")
    if spec is None or spec.origin is None:
        raise SystemExit("the pulumi package is not installed; run `make setup`")
    folder = Path(spec.origin).parent
    parents = {"pulumi": folder, "pulumi.runtime": folder / "runtime"}
    for name, path in parents.items():
        parent = types.ModuleType(name)
        parent.__path__ = [str(path)]
        sys.modules[name] = parent
    return list(parents)


_parents = _put_empty_parents()

from google.protobuf import any_pb2, empty_pb2, struct_pb2  # noqa: E402
from pulumi.runtime.proto import (  # noqa: E402
    engine_pb2,
    engine_pb2_grpc,
    plugin_pb2,
    provider_pb2,
    provider_pb2_grpc,
)

for _name in _parents:
    # Left in place, a later `import pulumi` of the same process would get the empty package.
    del sys.modules[_name]

__all__ = [
    "any_pb2", "empty_pb2", "engine_pb2", "engine_pb2_grpc", "plugin_pb2", "provider_pb2", "provider_pb2_grpc",
    "struct_pb2",
]  # fmt: skip
