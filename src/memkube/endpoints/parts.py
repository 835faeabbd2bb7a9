"""The parts of a server that its endpoints use."""

from collections.abc import Callable
from typing import NamedTuple

from memkube.auth.authentication.authenticator import Authenticator
from memkube.auth.authorization.interface import Authorizer
from memkube.endpoints.auditing.trail import Auditor
from memkube.endpoints.filters.origins import OriginOptions
from memkube.hooks.client import HookClient
from memkube.registry.declarations.interface import (
    DefinitionSync,
    InformerSync,
    LeaderElection,
    MetricsApis,
    OpenIdProvider,
)
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures
from memkube.telemetry.request_log import RequestLog


class EndpointParts(NamedTuple):
    """Parts made by the composition root for the endpoints of one server."""

    registry: Registry
    measures: Measures
    request_log: RequestLog
    hook_client: HookClient
    """Client for requests to extension API servers, and to the leader among several servers."""
    openid_provider: OpenIdProvider
    informers: InformerSync
    definitions: Callable[[], DefinitionSync | None]
    """Returns the controller that serves custom kinds; None before the server has started."""
    authenticator: Authenticator
    """Finds the users of requests."""
    api_services: Callable[[], InformerSync | None]
    """Returns the controller that fetches the discovery documents of extension API servers; None before the start."""
    origins: OriginOptions = OriginOptions()
    """Host names of the server, and sites whose pages may use it."""
    authorizer: Authorizer | None = None
    """Decides which requests are allowed; None if all are."""
    auditor: Auditor | None = None
    """Writes the audit log; None if there is none."""
    metrics_apis: MetricsApis | None = None
    """Values of custom and external metrics; None if the server serves no metrics."""
    leader: LeaderElection | None = None
    """The election of a leader among the servers that share the storage; None if the storage is not shared."""
