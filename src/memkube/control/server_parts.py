"""The parts of a running server that the control API and the Python API work on."""

from typing import NamedTuple

from memkube.controllers.manager import ControllerManager
from memkube.hooks.services import Listeners
from memkube.registry.registry import Registry
from memkube.snapshots.snapshots import Snapshots
from memkube.telemetry.request_log import RequestLog


class ServerParts(NamedTuple):
    """Parts made by the composition root for the control API and the Python API."""

    registry: Registry
    request_log: RequestLog
    listeners: Listeners
    """The external servers that are called instead of Services."""
    controllers: ControllerManager
    """The chosen controllers, the kubelet of the simulated nodes among them."""
    snapshots: Snapshots
