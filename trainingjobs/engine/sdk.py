"""Where Pulumi's Python SDK is bent to our needs: all of it, each with its reason.

tests/components/test_sdk.py fails for each that is not needed any more. Figures: docs/performance.md.
"""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import sys
import types
from pathlib import Path


def _put_empty_parents() -> list[str]:
    """Puts empty packages where pulumi's own would be loaded with all that they import; returns their names.

    `import pulumi.runtime.proto` runs pulumi's own __init__, which loads 300 modules; the generated modules need only
    their folder. In a process that has pulumi already, its own ones are used.
    """
    if "pulumi" in sys.modules:
        return []
    spec = importlib.util.find_spec("pulumi")
    if spec is None or spec.origin is None:
        raise SystemExit("the pulumi package is not installed; pip install 'trainingjobs[pulumi]'")
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
    "any_pb2",
    "begin_registrations",
    "empty_pb2",
    "engine_pb2",
    "engine_pb2_grpc",
    "plugin_pb2",
    "provider_pb2",
    "provider_pb2_grpc",
    "spare_work",
    "struct_pb2",
]


def spare_work() -> None:
    """Leaves out what a program that ends with its stack has no use for."""
    import pulumi

    # What is declared stays to the end: looking for garbage among it takes longer with each resource.
    gc.disable()
    # pulumi/runtime/resource.py tells the engine of each step of each resource, whatever the level of its log: calls
    # that it waits for, and nobody hears them.
    pulumi.log.debug = _unheard


def _unheard(*_: object, **__: object) -> None:
    return


def begin_registrations() -> None:
    """Lets what was declared begin to be registered before the SDK looks whether anything is being registered.

    It looks at once, sees nothing yet, and waits for the outputs of everything together, over and over: that takes a
    time that grows with the square of the number of resources (pulumi.runtime.stack.wait_for_rpcs).
    """
    from pulumi.runtime.settings import _get_rpc_manager

    _get_rpc_manager().rpcs.append(asyncio.ensure_future(asyncio.sleep(0)))
