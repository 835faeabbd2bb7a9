"""A Kubernetes API server in one Python process, in memory.

::

    with memkube.Memkube(nodes=3, clock="stepped") as kube:
        kube.apply("manifests/")
        kube.clock.advance(30)
        kube.wait_for("deployments", "web", "condition=Available")

Importing this package alone imports nothing of the server.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memkube.version import VERSION

if TYPE_CHECKING:
    from memkube import faults
    from memkube.cluster.application import asgi_application
    from memkube.cluster.asynchronous import AsyncMemkube
    from memkube.cluster.snapshots import load_snapshot
    from memkube.cluster.synchronous import Memkube
    from memkube.errors import (
        CallTimeout,
        ManifestError,
        MemkubeError,
        NotRunning,
        Refused,
        ServerError,
        SnapshotError,
        WaitTimeout,
    )
    from memkube.snapshots.snapshot import Snapshot

__version__ = VERSION
__all__ = [
    "AsyncMemkube",
    "CallTimeout",
    "ManifestError",
    "Memkube",
    "MemkubeError",
    "NotRunning",
    "Refused",
    "ServerError",
    "Snapshot",
    "SnapshotError",
    "WaitTimeout",
    "__version__",
    "asgi_application",
    "faults",
    "load_snapshot",
]

_MODULES = {
    "AsyncMemkube": "memkube.cluster.asynchronous",
    "Memkube": "memkube.cluster.synchronous",
    "Snapshot": "memkube.snapshots.snapshot",
    "load_snapshot": "memkube.cluster.snapshots",
    "asgi_application": "memkube.cluster.application",
}


def __getattr__(name: str) -> Any:
    """Imports what is exported when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "faults":
        return import_module("memkube.faults")
    value = getattr(import_module(_MODULES.get(name, "memkube.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What is exported, imported or not."""
    return sorted({*globals(), *__all__})
