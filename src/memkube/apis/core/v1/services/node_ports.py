"""Allocates node ports, also if several servers share a storage (``pkg/registry/core/service/portallocator``)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from memkube.apimachinery.model import Document
from memkube.apimachinery.random_values import RandomValues
from memkube.registry.declarations.kind_services import KindServices, NodePortAllocator
from memkube.registry.objects.stored import StoredObject

_FIRST: Final = 30_000
_LAST: Final = 32_767
_STATIC_BAND: Final = 86
"""Number of ports at the start of the range that are allocated automatically only if no other port is free."""
_DRY_RUN_GUESS: Final = 32_769
_TAKEN: Final = "provided port is already allocated"


class PortRefused(Exception):
    """Raised if a node port cannot be allocated; the message equals kube-apiserver's."""


class OtherServers(Protocol):
    """Coordinates node ports with other API servers that use the same storage."""

    async def stored(self) -> Iterable[int]:
        """Return the node ports of all services in the shared storage."""

    async def claim(self, port: int) -> bool:
        """Claim a port for this server, for a limited time. Returns False if another server has claimed the port."""

    async def release(self, port: int) -> None:
        """Release this server's claim on a port."""


class NodePorts:
    """Allocator of node ports in the range 30000 to 32767.

    If the server has the storage to itself, the allocator records all allocated ports. If several servers share the
    storage, it records only the ports of writes in progress, and claims each of them until its service is stored. The
    constructor's argument `others` makes these claims. It is None if the storage is not shared.
    """

    def __init__(
        self, taken: Iterable[int] = (), others: OtherServers | None = None, random_values: RandomValues | None = None
    ) -> None:
        self._random_values = random_values or RandomValues()
        self._taken: set[int] = set(taken)
        self._others = others
        self._stored: set[int] = set()

    async def look(self) -> None:
        """Load the node ports of all services that servers have stored in the shared storage.

        Does nothing if the storage is not shared.
        """
        if self._others is not None:
            self._stored = set(await self._others.stored())

    async def take(self, port: int) -> None:
        """Reserve the port that a client chose. Raises PortRefused if the port is taken or out of range."""
        if not _FIRST <= port <= _LAST:
            allowed = f"{_FIRST}-{_LAST}"
            raise PortRefused(f"provided port is not in the valid range. The range of valid ports is {allowed}")
        if self.is_taken(port) or not await self._reserve(port):
            raise PortRefused(_TAKEN)

    async def take_any(self) -> int:
        """Reserve a random free port and return it. Raises PortRefused if all ports are taken."""
        dynamic = _FIRST + _STATIC_BAND
        for first, last in ((dynamic, _LAST), (_FIRST, dynamic - 1)):
            count = last - first + 1
            start = self._random_values.below(count)
            for step in range(count):
                port = first + (start + step) % count
                if not self.is_taken(port) and await self._reserve(port):
                    return port
        raise PortRefused("range is full")

    async def _reserve(self, port: int) -> bool:
        """Reserve a port for a write in progress. Returns False if another server has claimed the port."""
        self._taken.add(port)
        if self._others is None:
            return True
        try:
            if await self._others.claim(port):
                # After this server loaded the ports, another server may have stored a service with this port and
                # released its claim. So load the ports of stored services again.
                await self.look()
                if port not in self._stored:
                    return True
                await self._others.release(port)
        except BaseException:
            self._taken.discard(port)
            raise
        self._taken.discard(port)
        return False

    def is_taken(self, port: int) -> bool:
        """True if the port is allocated, or if a stored service has it."""
        return port in self._taken or port in self._stored

    async def release(self, ports: Iterable[int]) -> None:
        """Release allocated ports. Ports that are not allocated are ignored."""
        await self._release_claims(ports)
        self._taken.difference_update(ports)

    async def settle(self, ports: Iterable[int]) -> None:
        """Release this server's claims on ports after the services that use the ports have been stored."""
        if self._others is not None:
            await self._release_claims(ports)
            self._taken.difference_update(ports)

    async def _release_claims(self, ports: Iterable[int]) -> None:
        if self._others is not None:
            for port in self._taken.intersection(ports):
                await self._others.release(port)


def ports_of(services: Iterable[Document]) -> Iterator[int]:
    """Yield the node ports of services, including health check node ports."""
    for service in services:
        spec = service.get("spec") or {}
        yield from (port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort"))
        if health := spec.get("healthCheckNodePort"):
            yield health


def restore_node_ports(services: KindServices, objects: Sequence[StoredObject]) -> None:
    """After a snapshot is restored, replace the node port allocator by one with the ports of the restored Services.

    `objects` are all restored objects. A write in progress keeps the former allocator: the new one does not know the
    ports that this write allocates.
    """
    documents = (stored.document for stored in objects if stored.kind == "Service")
    ports = ports_of(one for one in documents if one["apiVersion"] == "v1")
    services.node_ports = NodePorts(ports, random_values=services.random_values)


class PortOperation:
    """Node ports that one write to a Service allocates and releases.

    Ports are allocated at once, but released only if the write succeeds. In a dry run, nothing is allocated: another
    service may use a port that `take_any` returned.
    """

    def __init__(self, ports: NodePortAllocator, *, dry_run: bool) -> None:
        self._ports = ports
        self._dry_run = dry_run
        self._taken: list[int] = []
        self._released: list[int] = []

    async def look(self) -> None:
        """Load the node ports of services that other servers have stored. Call this before `take` and `take_any`."""
        await self._ports.look()

    async def take(self, port: int) -> None:
        """Reserve the port that a client chose. Raises PortRefused if the port is taken."""
        if not self._dry_run:
            await self._ports.take(port)
        elif self._ports.is_taken(port) or port in self._taken:
            raise PortRefused(_TAKEN)
        self._taken.append(port)

    async def take_any(self) -> int:
        """Reserve a random free port and return it. Raises PortRefused if all ports are taken."""
        port = max(self._taken, default=_DRY_RUN_GUESS - 1) + 1 if self._dry_run else await self._ports.take_any()
        self._taken.append(port)
        return port

    def release(self, ports: Iterable[int]) -> None:
        """Schedule ports for release after the write, if the write succeeds."""
        self._released += ports

    async def finish(self, done: bool) -> None:
        """End the allocation of node ports for one write.

        If the write succeeded (`done`), release the ports that were passed to `release`; otherwise, release the newly
        allocated ports.
        """
        if not self._dry_run:
            await self._ports.release(self._released if done else self._taken)
            await self._ports.settle(self._taken)
