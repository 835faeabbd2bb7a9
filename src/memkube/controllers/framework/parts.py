"""The parts of a server that its controllers use."""

from dataclasses import dataclass

from memkube.hooks.client import HookClient
from memkube.hooks.services import Listeners
from memkube.registry.objects.dependents import Dependents
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures
from memkube.telemetry.request_log import RequestLog


@dataclass(frozen=True, slots=True)
class ControllerParts:
    """Parts made by the composition root for the controllers of one server."""

    registry: Registry
    measures: Measures
    """Counters and histograms of work queues."""
    request_log: RequestLog
    """Log of requests, which can include those of controllers."""
    hook_client: HookClient
    """Client for conversion webhooks and aggregated API servers."""
    listeners: Listeners
    """Servers outside that stand in for the endpoints of services."""
    dependents: Dependents
    """Wakes the garbage collector with the first object that has an owner or a finalizer."""
