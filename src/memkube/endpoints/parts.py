"""The objects of a running server that its HTTP endpoints use, such as the registry and the authenticator."""

from collections.abc import Callable
from typing import NamedTuple

from memkube.auth.authentication.authenticator import Authenticator
from memkube.auth.authorization.interface import Authorizer
from memkube.endpoints.auditing.trail import Auditor
from memkube.endpoints.filters.origins import OriginOptions
from memkube.endpoints.flow_control.classifier import MandatoryFlows
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
from memkube.version import KUBERNETES_VERSION


class EndpointParts(NamedTuple):
    """The objects of one server that its HTTP endpoints use, such as the registry. They are created at its start."""

    registry: Registry
    measures: Measures
    request_log: RequestLog
    hook_client: HookClient
    """HTTP client for requests to extension API servers, and to the leader if several servers share a storage."""
    openid_provider: OpenIdProvider
    informers: InformerSync
    definitions: Callable[[], DefinitionSync | None]
    """Function that returns the controller of custom kinds; None before the server has started."""
    authenticator: Authenticator
    """Finds the user of a request from its credentials."""
    api_services: Callable[[], InformerSync | None]
    """Function that returns the controller of extension API servers; None before the server has started."""
    origins: OriginOptions = OriginOptions()
    """Options that allow host names of this server, and web sites whose pages may use it."""
    mandatory_flows: MandatoryFlows = MandatoryFlows()
    """Mandatory FlowSchemas and priority levels, by which requests are classified if a client has deleted them."""
    authorizer: Authorizer | None = None
    """Decides which requests are allowed; None if all requests are allowed."""
    has_rbac: bool = False
    """True if RBAC is among the authorizers."""
    auditor: Auditor | None = None
    """Writes the audit log; None if the server writes no audit log."""
    metrics_apis: MetricsApis | None = None
    """Values of custom and external metrics; None if the server does not serve these metrics."""
    reported_version: str = f"v{KUBERNETES_VERSION}"
    """Release of Kubernetes that ``/version`` names."""
    leader: LeaderElection | None = None
    """Leader election among the servers that share the storage; None if the storage is not shared."""
