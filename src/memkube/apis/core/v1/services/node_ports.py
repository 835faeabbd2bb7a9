"""The ports on nodes that services have (``pkg/registry/core/service/portallocator``)."""

from collections.abc import Iterable, Iterator
from secrets import randbelow
from typing import Final, Protocol

from memkube.apimachinery.model import Document

_FIRST: Final = 30_000
_LAST: Final = 32_767
_STATIC_BAND: Final = 86
"""How many ports at the beginning of the range are left to those who choose their own, as long as there are others."""
_DRY_RUN_GUESS: Final = 32_769
_TAKEN: Final = "provided port is already allocated"


class PortRefused(Exception):
    """A port cannot be had; the message says why, in the words of the reference."""


class OtherServers(Protocol):
    """What servers on the same storage know of each other's ports."""

    async def stored(self) -> Iterable[int]:
        """The ports of all services that are stored."""

    async def claim(self, port: int) -> bool:
        """Keeps a port from the others for a while; False where one of them does."""

    async def let_go(self, port: int) -> None:
        """Gives up a claim."""


class NodePorts:
    """Which ports are taken: 30000 to 32767 in all.

    One server knows for itself. Where others write services too, only the ports of writes under way are kept here, and
    claimed among `others` until the service is stored, where everybody sees them.
    """

    def __init__(self, taken: Iterable[int] = (), others: OtherServers | None = None) -> None:
        self._taken: set[int] = set(taken)
        self._others = others
        self._stored: set[int] = set()

    async def look(self) -> None:
        """Finds out which ports the services of others have."""
        if self._others is not None:
            self._stored = set(await self._others.stored())

    async def take(self, port: int) -> None:
        """Reserves a port that somebody chose. Raises PortRefused."""
        if not _FIRST <= port <= _LAST:
            allowed = f"{_FIRST}-{_LAST}"
            raise PortRefused(f"provided port is not in the valid range. The range of valid ports is {allowed}")
        if self.is_taken(port) or not await self._reserve(port):
            raise PortRefused(_TAKEN)

    async def take_any(self) -> int:
        """Reserves a port by chance. Raises PortRefused."""
        dynamic = _FIRST + _STATIC_BAND
        for first, last in ((dynamic, _LAST), (_FIRST, dynamic - 1)):
            count = last - first + 1
            start = randbelow(count)
            for step in range(count):
                port = first + (start + step) % count
                if not self.is_taken(port) and await self._reserve(port):
                    return port
        raise PortRefused("range is full")

    async def _reserve(self, port: int) -> bool:
        """False where another server has been faster."""
        self._taken.add(port)
        if self._others is None:
            return True
        try:
            if await self._others.claim(port):
                # Who had claimed it before may have written it down since it was looked for.
                await self.look()
                if port not in self._stored:
                    return True
                await self._others.let_go(port)
        except BaseException:
            self._taken.discard(port)
            raise
        self._taken.discard(port)
        return False

    def is_taken(self, port: int) -> bool:
        """Whether a service has the port."""
        return port in self._taken or port in self._stored

    async def release(self, ports: Iterable[int]) -> None:
        """Gives ports back; those that nobody has are none of its business."""
        await self._let_go(ports)
        self._taken.difference_update(ports)

    async def settle(self, ports: Iterable[int]) -> None:
        """Services with these ports are stored."""
        if self._others is not None:
            await self._let_go(ports)
            self._taken.difference_update(ports)

    async def _let_go(self, ports: Iterable[int]) -> None:
        if self._others is not None:
            for port in self._taken.intersection(ports):
                await self._others.let_go(port)


def ports_of(services: Iterable[Document]) -> Iterator[int]:
    """The ports that services have on nodes, those of health checks too."""
    for service in services:
        spec = service.get("spec") or {}
        yield from (port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort"))
        if health := spec.get("healthCheckNodePort"):
            yield health


class PortOperation:
    """What one write does to the ports: they are taken at once, and given back when it has come to be.

    A dry run takes nothing, and guesses what it would get.
    """

    def __init__(self, ports: NodePorts, *, dry_run: bool) -> None:
        self._ports = ports
        self._dry_run = dry_run
        self._taken: list[int] = []
        self._released: list[int] = []

    async def look(self) -> None:
        """To be called before ports are taken."""
        await self._ports.look()

    async def take(self, port: int) -> None:
        """Reserves a port that somebody chose. Raises PortRefused."""
        if not self._dry_run:
            await self._ports.take(port)
        elif self._ports.is_taken(port) or port in self._taken:
            raise PortRefused(_TAKEN)
        self._taken.append(port)

    async def take_any(self) -> int:
        """Reserves a port by chance. Raises PortRefused."""
        port = max(self._taken, default=_DRY_RUN_GUESS - 1) + 1 if self._dry_run else await self._ports.take_any()
        self._taken.append(port)
        return port

    def release(self, ports: Iterable[int]) -> None:
        """Gives ports back, if the write comes to be."""
        self._released += ports

    async def finish(self, done: bool) -> None:
        """Ends the operation, with the write or without."""
        if not self._dry_run:
            await self._ports.release(self._released if done else self._taken)
            await self._ports.settle(self._taken)
