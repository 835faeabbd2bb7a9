"""Services of a server for strategies and subresources of single kinds: tokens, node ports, simulated nodes."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.random_values import RandomValues
from memkube.registry.declarations.authentication import Authenticated
from memkube.registry.declarations.authorization import AlwaysAllow, Authorizer, EscalationChecks, NoEscalationChecks
from memkube.registry.declarations.request_options import User
from memkube.registry.declarations.streaming import HttpAnswer, PortForwarding, Session


class TokenOptions(Protocol):
    """Options of service account tokens (``--service-account-issuer``, ``--api-audiences`` and others)."""

    @property
    def issuers(self) -> Sequence[str]:
        """Issuers whose tokens are accepted. New tokens have the first one."""

    @property
    def audiences(self) -> Sequence[str]:
        """Audiences of a token if the request names none."""

    @property
    def max_expiration(self) -> int:
        """Maximum lifetime of a token in seconds; 0 for no maximum."""

    @property
    def extend_expiration(self) -> bool:
        """True if tokens that admission injects into pods are valid for a year instead of an hour."""


class TokenKeys(Protocol):
    """Public keys of a token issuer."""

    def verified(self, token: str) -> bytes:
        """Verify the signature of a token, and return its claims as JSON. Raises NoTokenError and BadSignatureError."""


class TokenIssuer(Protocol):
    """Signs service account tokens."""

    @property
    def options(self) -> TokenOptions:
        """Options of service account tokens."""

    async def keys(self) -> TokenKeys:
        """Return the keys that verify tokens."""

    async def signed(self, claims: dict[str, Any]) -> str:
        """Return a signed token with these claims. The issuer is the server's, unless the claims have another one."""


class TokenAuthenticator(Protocol):
    """Authenticates bearer tokens that this server has not issued."""

    async def authenticate(self, token: str, audiences: Sequence[str]) -> Authenticated | None:
        """Return the user of a token; None for an unknown token. Raises RejectedTokenError if there is a reason."""


class NodePortAllocator(Protocol):
    """Allocates node ports of Services (``pkg/registry/core/service/portallocator``)."""

    async def look(self) -> None:
        """Read from storage the ports of Services that other servers have written."""

    async def take(self, port: int) -> None:
        """Reserve a port that the client specified. Raises PortRefused if the port is taken or out of range."""

    async def take_any(self) -> int:
        """Reserve a free port and return it. Raises PortRefused if all ports are taken."""

    def is_taken(self, port: int) -> bool:
        """Return True if a Service uses the port."""

    async def release(self, ports: Iterable[int]) -> None:
        """Release ports. Ports that are free already are ignored."""

    async def settle(self, ports: Iterable[int]) -> None:
        """Mark reserved ports as used, after their Service has been stored."""


class NodeConnections(Protocol):
    """Connections to containers, which a kubelet serves: ``log``, ``exec``, ``attach`` and ``portforward``.

    Callers pass a Pod that is bound to a node, and the name of a container. Each method raises ApiError if the
    connection cannot be opened. Later failures raise StreamFailed.
    """

    async def log(self, pod: Any, container: str, options: Any) -> AsyncIterator[bytes]:
        """Return an iterator over parts of a container's log, as selected by PodLogOptions.

        With ``follow``, the iterator ends when the container terminates. Callers must close it if the client
        disconnects.
        """

    async def execute(self, pod: Any, container: str, command: Sequence[str]) -> Session:
        """Start a command in a running container."""

    async def attach(self, pod: Any, container: str) -> Session:
        """Attach to the main process of a container."""

    async def forward(self, pod: Any) -> PortForwarding:
        """Forward ports of a running pod."""

    async def request(self, pod: Any, port: int, target: str) -> HttpAnswer:
        """Send an HTTP request for a path and query to a port of a pod, over the network and not through the kubelet.

        Raises ConnectionRefusedError if no container listens on the port, TimeoutError if the node does not respond,
        and StreamFailed if the server does not speak HTTP.
        """


class ResourceUsage(Protocol):
    """Processor and memory use of simulated containers, as metrics-server reports it."""

    def metrics_of_pod(self, namespace: str, name: str) -> Document | None:
        """Return the PodMetrics of a pod; None until its containers have been measured."""

    async def pod_metrics(self, namespace: str, labels: LabelSelector | None) -> Sequence[Document]:
        """Return the PodMetrics of the measured pods that the label selector matches, sorted by namespace and name.

        An empty namespace stands for all.
        """

    async def node_metrics(self) -> Sequence[Document]:
        """Return the NodeMetrics of all nodes whose kubelet responds, sorted by name."""


FindUser: TypeAlias = Callable[[str], Awaitable[User | None]]
"""Returns the user of a token; None if the token is of another kind.

Raises RejectedTokenError if the token is not valid.
"""


@dataclass(slots=True)
class KindServices:
    """Parts of the server for strategies and subresources of single kinds, available as ``stores.kind_services``.

    The start of the server creates it before the registry. The fields with defaults depend on the registry, so they are
    set afterwards.
    """

    token_issuer: TokenIssuer
    node_ports: NodePortAllocator
    local_components: frozenset[str]
    """Names of the control plane components in this process, which ComponentStatuses reports."""
    random_values: RandomValues = field(default_factory=RandomValues)
    """Source of random values, by which the cluster IPs and node ports of Services are chosen."""
    node_connections: Callable[[], NodeConnections | None] = lambda: None
    """Returns the connections to simulated pods; None if no kubelet runs."""
    resource_usage: Callable[[], ResourceUsage | None] = lambda: None
    """Returns the use of resources by simulated containers; None if no kubelet runs."""
    on_kubernetes_service_deleted: Callable[[], None] = lambda: None
    """Called after the Service ``kubernetes``, its Endpoints or its EndpointSlice was deleted."""
    authorizer: Authorizer = field(default_factory=AlwaysAllow)
    """The authorizer, which decides which requests are allowed."""
    escalation: EscalationChecks = field(default_factory=NoEscalationChecks)
    """Checks that prevent users from granting rights that they do not have."""

    static_tokens: dict[str, User] = field(default_factory=dict)
    """Users by their static tokens. More may be added while the server runs."""
    token_webhook: TokenAuthenticator | None = None
    """Authenticates the tokens that this server does not know; None if all others are invalid."""

    other_tokens: tuple[FindUser, ...] = ()
    """Find the users of tokens that this server has not issued, in the order in which they are asked."""

    def close(self) -> None:
        """Break the reference cycles with the registry, so that a stopped server is freed without the collector."""
        del self.node_connections, self.resource_usage, self.on_kubernetes_service_deleted
        del self.authorizer, self.escalation
