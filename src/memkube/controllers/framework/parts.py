"""The components of a server that its controllers use."""

from typing import NamedTuple

from memkube.hooks.client import HookClient
from memkube.hooks.services import Listeners
from memkube.registry.objects.dependents import Dependents
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures
from memkube.telemetry.request_log import RequestLog


class ControllerParts(NamedTuple):
    """What the framework of the controllers needs from the server, such as the registry and the request log."""

    registry: Registry
    measures: Measures
    """Metrics of the controllers' work queues."""
    request_log: RequestLog
    """Log of requests. It contains requests of controllers only if an option says so."""
    hook_client: HookClient
    """HTTP client for conversion webhooks and extension API servers."""
    listeners: Listeners
    """Servers outside the cluster that webhook calls reach in place of Services."""
    dependents: Dependents
    """Detects objects with owners or finalizers; the first of them that needs the garbage collector starts it."""
