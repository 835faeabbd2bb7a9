"""A Kubernetes API server in one Python process, in memory.

::

    with memkube.Memkube(nodes=3, clock="stepped") as kube:
        kube.apply("manifests/")
        kube.clock.advance(30)
        kube.wait_for("deployments", "web", "condition=Available")

Importing the package does not import the server, because pytest imports the package in every run, for its plugin.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memkube.version import VERSION

if TYPE_CHECKING:
    from memkube import faults
    from memkube.cluster.api_client import ExecResult
    from memkube.cluster.application import asgi_application
    from memkube.cluster.asynchronous import AsyncMemkube
    from memkube.cluster.snapshots import load_snapshot
    from memkube.cluster.synchronous import Memkube
    from memkube.controllers.scheduler.python_plugins import SchedulerPlugin
    from memkube.errors import (
        CallTimeout,
        ManifestError,
        MemkubeError,
        NotRunning,
        Refused,
        ServerError,
        SnapshotError,
        UsageError,
        WaitTimeout,
    )
    from memkube.hunting.hunter import hunt
    from memkube.hunting.report import Finding, HuntReport
    from memkube.scenarios.playing import Report, play
    from memkube.snapshots.snapshot import Snapshot

__version__ = VERSION
__all__ = [
    "AsyncMemkube",
    "CallTimeout",
    "ExecResult",
    "Finding",
    "HuntReport",
    "ManifestError",
    "Memkube",
    "MemkubeError",
    "NotRunning",
    "Refused",
    "Report",
    "SchedulerPlugin",
    "ServerError",
    "Snapshot",
    "SnapshotError",
    "UsageError",
    "WaitTimeout",
    "__version__",
    "asgi_application",
    "faults",
    "hunt",
    "load_snapshot",
    "play",
]

_MODULES = {
    "AsyncMemkube": "memkube.cluster.asynchronous",
    "ExecResult": "memkube.cluster.api_client",
    "Finding": "memkube.hunting.report",
    "HuntReport": "memkube.hunting.report",
    "Memkube": "memkube.cluster.synchronous",
    "SchedulerPlugin": "memkube.controllers.scheduler.python_plugins",
    "Report": "memkube.scenarios.playing",
    "Snapshot": "memkube.snapshots.snapshot",
    "hunt": "memkube.hunting.hunter",
    "load_snapshot": "memkube.cluster.snapshots",
    "play": "memkube.scenarios.playing",
    "asgi_application": "memkube.cluster.application",
}


def __getattr__(name: str) -> Any:
    """Import an exported name on first access."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "faults":
        return import_module("memkube.faults")
    value = getattr(import_module(_MODULES.get(name, "memkube.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the names in this module and the exported names that have not been imported yet."""
    return sorted({*globals(), *__all__})
