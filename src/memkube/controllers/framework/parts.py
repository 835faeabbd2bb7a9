"""The parts of a server that its controllers use."""

from typing import NamedTuple

from memkube.hooks.client import HookClient
from memkube.hooks.services import Listeners
from memkube.registry.objects.dependents import Dependents
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures
from memkube.telemetry.request_log import RequestLog


class ControllerParts(NamedTuple):
    """The server's components that controllers use."""

    registry: Registry
    measures: Measures
    """Counters and histograms of work queues."""
    request_log: RequestLog
    """Log of requests. An option includes the requests of controllers."""
    hook_client: HookClient
    """Client for conversion webhooks and aggregated API servers."""
    listeners: Listeners
    """External servers that are called instead of Services."""
    dependents: Dependents
    """Record that starts the garbage collector with the first object that has an owner or a finalizer."""
