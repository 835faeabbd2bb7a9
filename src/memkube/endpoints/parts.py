"""The parts of a server that its endpoints use."""

from collections.abc import Callable
from dataclasses import dataclass

from memkube.hooks.client import HookClient
from memkube.registry.declarations.interface import DefinitionSync, InformerSync, LeaderElection, OpenIdProvider
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures
from memkube.telemetry.request_log import RequestLog


@dataclass(frozen=True, slots=True)
class EndpointParts:
    """Parts made by the composition root for the endpoints of one server."""

    registry: Registry
    measures: Measures
    request_log: RequestLog
    hook_client: HookClient
    """Client for aggregated API servers and for the server that leads."""
    openid_provider: OpenIdProvider
    informers: InformerSync
    definitions: Callable[[], DefinitionSync | None]
    """Return the controller that serves custom kinds; None before the server has started."""
    api_services: Callable[[], InformerSync | None]
    """Return the controller that fetches the discovery of other servers; None before the server has started."""
    leader: LeaderElection | None = None
    """LeaderElection election among the servers that share the storage; None if the storage is not shared."""
