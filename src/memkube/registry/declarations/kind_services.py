"""Components of a server that only certain kinds need: for tokens, node ports, and connections to simulated containers.

Only the strategies and subresources of these kinds use them.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.random_values import RandomValues
from memkube.registry.declarations.authentication import Authenticated
from memkube.registry.declarations.authorization import AlwaysAllow, Authorizer, EscalationChecks, NoEscalationChecks
from memkube.registry.declarations.request_options import User
from memkube.registry.declarations.streaming import HttpAnswer, HttpRequest, PortForwarding, Session


class TokenOptions(Protocol):
    """Options of service account tokens (``--service-account-issuer``, ``--api-audiences`` and others)."""

    @property
    def issuers(self) -> Sequence[str]:
        """Issuers whose tokens the server accepts. The first one is the issuer of new tokens."""

    @property
    def audiences(self) -> Sequence[str]:
        """Audiences of a new token if the request does not name any."""

    @property
    def max_expiration(self) -> int:
        """Maximum lifetime of a token in seconds; 0 if the lifetime is not limited."""

    @property
    def extend_expiration(self) -> bool:
        """True if tokens that admission injects into pods are valid for a year instead of an hour."""


class TokenKeys(Protocol):
    """Verifies tokens with the public keys of their issuer."""

    def verified(self, token: str) -> bytes:
        """Verify the signature of a token, and return its claims as JSON.

        Raises NoTokenError if the text is not a token, and BadSignatureError if no key verifies the signature.
        """


class TokenIssuer(Protocol):
    """Signs service account tokens, and has the keys and options by which they are verified."""

    @property
    def options(self) -> TokenOptions:
        """Issuers, audiences and lifetimes of the tokens that this issuer signs."""

    async def keys(self) -> TokenKeys:
        """Return the keys that verify tokens."""

    async def signed(self, claims: dict[str, Any]) -> str:
        """Return a signed token with `claims`.

        The claim ``iss`` is set to the server's issuer, unless the claims contain another one.
        """


class TokenAuthenticator(Protocol):
    """Authenticates bearer tokens that this server has not issued."""

    async def authenticate(self, token: str, audiences: Sequence[str]) -> Authenticated | None:
        """Return the user of a token, and the ones among `audiences` for which it is valid; None for an unknown token.

        Raises RejectedTokenError if the authenticator gives a reason for rejecting the token.
        """


class NodePortAllocator(Protocol):
    """Allocates node ports of Services (``pkg/registry/core/service/portallocator``)."""

    async def look(self) -> None:
        """Read from the storage which node ports Services use, because other servers may have stored Services."""

    async def take(self, port: int) -> None:
        """Reserve a port that the client specified. Raises PortRefused if the port is taken or out of range."""

    async def take_any(self) -> int:
        """Reserve a free port and return it. Raises PortRefused if all ports are taken."""

    def is_taken(self, port: int) -> bool:
        """Return True if a Service uses the port."""

    async def release(self, ports: Iterable[int]) -> None:
        """Release ports. Ports that no Service uses are ignored."""

    async def settle(self, ports: Iterable[int]) -> None:
        """Mark reserved ports as used, after their Service has been stored."""


class NodeConnections(Protocol):
    """Opens connections to containers, as a kubelet does for ``log``, ``exec``, ``attach`` and ``portforward``.

    Callers pass a Pod that is bound to a node, and the name of a container. Each method raises ApiError if the
    connection cannot be opened. Later failures raise StreamFailed.
    """

    async def log(self, pod: Any, container: str, options: Any) -> AsyncIterator[bytes]:
        """Return an iterator over the bytes of a container's log, as selected by PodLogOptions.

        With ``follow``, the iterator ends when the container terminates. Callers must close it if the client
        disconnects.
        """

    async def execute(self, pod: Any, container: str, command: Sequence[str]) -> Session:
        """Return a function that runs `command` in a running container, with the client's streams."""

    async def attach(self, pod: Any, container: str) -> Session:
        """Return a function that connects the client's streams to the main process of a container."""

    async def forward(self, pod: Any) -> PortForwarding:
        """Open a connection that forwards ports of a running pod."""

    async def request(self, pod: Any, port: int, request: HttpRequest) -> HttpAnswer:
        """Send an HTTP request to a port of a pod, and return the response.

        The request goes over the pod network, not through the kubelet. Raises ConnectionRefusedError if no container
        listens on the port, TimeoutError if the node does not respond, and StreamFailed if the process does not speak
        HTTP, or does not use TLS although the request does.
        """


class ResourceUsage(Protocol):
    """CPU and memory usage of simulated containers, in the kinds of ``metrics.k8s.io``."""

    def metrics_of_pod(self, namespace: str, name: str) -> Document | None:
        """Return the PodMetrics of a pod; None until its containers have been measured."""

    async def pod_metrics(self, namespace: str, labels: LabelSelector | None) -> Sequence[Document]:
        """Return the PodMetrics of measured pods whose labels match the selector, sorted by namespace and name.

        The pods are those in `namespace`; if it is empty, those in all namespaces.
        """

    async def node_metrics(self) -> Sequence[Document]:
        """Return the NodeMetrics of all nodes whose kubelet responds, sorted by name of the node."""


FindUser: TypeAlias = Callable[[str], Awaitable[User | None]]
"""Function that returns the user of a token; None if the token is of another kind.

It raises RejectedTokenError if the token is invalid.
"""


@dataclass(slots=True)
class KindServices:
    """Components of this server that only certain kinds need; their hooks get them as ``stores.kind_services``.

    They are created before the registry. Components that depend on the registry have defaults until they are set.
    """

    token_issuer: TokenIssuer
    node_ports: NodePortAllocator
    local_components: frozenset[str]
    """Names of the control plane components in this process, for the ComponentStatuses."""
    random_values: RandomValues = field(default_factory=RandomValues)
    """Random values from which the cluster IPs and node ports of Services are chosen."""
    root_certificate: str = ""
    """Certificate in PEM by which clients verify the server; empty if the server does not use TLS."""
    node_connections: Callable[[], NodeConnections | None] = lambda: None
    """Function that returns the NodeConnections to simulated containers, or None if no simulated kubelet runs."""
    resource_usage: Callable[[], ResourceUsage | None] = lambda: None
    """Function that returns the CPU and memory usage of simulated containers, or None if no simulated kubelet runs."""
    on_kubernetes_service_deleted: Callable[[], None] = lambda: None
    """Function that is called after the Service ``kubernetes``, its Endpoints or its EndpointSlice was deleted."""
    on_flow_control_changed: Callable[[], None] = lambda: None
    """Function that is called after a FlowSchema or a PriorityLevelConfiguration was written or deleted."""
    on_namespace_deleted: Callable[[str], None] = lambda name: None
    """Function that is called with the name of a namespace after the namespace was removed."""
    authorizer: Authorizer = field(default_factory=AlwaysAllow)
    """Decides which requests are allowed. By default, it allows all requests."""
    escalation: EscalationChecks = field(default_factory=NoEscalationChecks)
    """Prevents users from granting rights that they do not have. By default, it allows all grants."""

    accepts_anonymous: bool = True
    """True if an empty token authenticates as the anonymous user; False if it authenticates no user."""
    static_tokens: dict[str, User] = field(default_factory=dict)
    """User of each static token. Tokens can be added while the server runs."""
    token_webhook: TokenAuthenticator | None = None
    """Authenticates the tokens that no other authenticator knows; None if such tokens are invalid."""

    other_tokens: tuple[FindUser, ...] = ()
    """Functions that find the user of a token which this server has not issued, in the order of their calls."""

    def close(self) -> None:
        """Break the reference cycles with the registry. A stopped server is then freed without garbage collection."""
        del self.node_connections, self.resource_usage, self.on_kubernetes_service_deleted
        del self.on_flow_control_changed, self.on_namespace_deleted
        del self.authorizer, self.escalation
