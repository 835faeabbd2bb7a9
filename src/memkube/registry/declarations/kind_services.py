"""The parts of a server that the hooks of single kinds use."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memkube.registry.declarations.streaming import PortForwarding, Session


class TokenOptions(Protocol):
    """Choices about tokens of service accounts (``--service-account-issuer`` and ``--api-audiences`` among others)."""

    @property
    def issuers(self) -> Sequence[str]:
        """Issuers whose tokens are accepted; the first one is named in new tokens."""

    @property
    def audiences(self) -> Sequence[str]:
        """Audiences of tokens that are requested without any."""

    @property
    def max_expiration(self) -> int:
        """Maximum number of seconds that a token is valid; 0 for no maximum."""

    @property
    def extend_expiration(self) -> bool:
        """True if tokens that admission injects into pods are valid for a year."""


class TokenKeys(Protocol):
    """Keys of a token issuer."""

    def verified(self, token: str) -> bytes:
        """Return the claims of a token as JSON. Raises NoTokenError and BadSignatureError."""


class TokenIssuer(Protocol):
    """Signs the tokens of service accounts."""

    @property
    def options(self) -> TokenOptions:
        """Choices about tokens."""

    async def keys(self) -> TokenKeys:
        """Return the keys by which tokens are verified."""

    async def signed(self, claims: dict[str, Any]) -> str:
        """Return a token with these claims."""


class NodePortAllocator(Protocol):
    """Reserves the node ports of Services (``pkg/registry/core/service/portallocator``)."""

    async def look(self) -> None:
        """Read the ports that Services written by other servers have."""

    async def take(self, port: int) -> None:
        """Reserve a port that the client chose. Raises PortRefused if the port is taken or out of range."""

    async def take_any(self) -> int:
        """Reserve and return a free port. Raises PortRefused if no port is free."""

    def is_taken(self, port: int) -> bool:
        """Return True if a Service has the port."""

    async def release(self, ports: Iterable[int]) -> None:
        """Free ports. Ports that are free already are ignored."""

    async def settle(self, ports: Iterable[int]) -> None:
        """Mark reserved ports as stored with their Service."""


class NodeConnections(Protocol):
    """The kubelets' side of ``log``, ``exec``, ``attach`` and ``portforward``.

    Callers pass a Pod that is bound to a node, and one of its containers. Each method raises ApiError for a refusal
    before the first byte; a failure after that is a StreamFailed.
    """

    async def log(self, pod: Any, container: str, options: Any) -> AsyncIterator[bytes]:
        """Return the container's log in pieces, selected by PodLogOptions.

        With ``follow``, the iterator ends when the container does. The caller closes it when the client disconnects.
        """

    async def execute(self, pod: Any, container: str, command: Sequence[str]) -> Session:
        """Start a command in a running container."""

    async def attach(self, pod: Any, container: str) -> Session:
        """Attach to the main process of a container."""

    async def forward(self, pod: Any) -> PortForwarding:
        """Forward ports of a running pod."""


@dataclass(slots=True)
class KindServices:
    """Parts made by the composition root for the hooks of single kinds.

    Hooks reach them as ``stores.kind_services``. The last two need the registry themselves: the composition root sets
    them once they exist.
    """

    token_issuer: TokenIssuer
    node_ports: NodePortAllocator
    local_components: frozenset[str]
    """Names of the control plane components that run in this process, for ComponentStatuses."""
    node_connections: Callable[[], NodeConnections | None] = lambda: None
    """Return the connections to simulated pods; None if no kubelet runs."""
    on_kubernetes_service_deleted: Callable[[], None] = lambda: None
    """Called after the Service ``kubernetes`` or one of its endpoints was deleted."""
