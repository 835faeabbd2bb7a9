"""Subresources that are no part of their object: what POST does there, and what GET streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from memkube.apimachinery.model import Document
from memkube.apimachinery.query import Query
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.streaming import PortForwarding, Session


@dataclass(frozen=True, slots=True)
class Created:
    """The answer to a POST: a Status or an object, and its HTTP code."""

    document: Document
    code: int = 201


class Creator(Protocol):
    """What a POST to a subresource does (``binding``, ``eviction``)."""

    async def __call__(self, registry: Registry, name: str, obj: Any, context: WriteContext) -> Created:
        """Acts on the object `name` of ``context.namespace``. Raises ApiError."""


@dataclass(frozen=True, slots=True)
class TextStream:
    """A body of text, which ends when it is all there or the client goes away; or nothing yet (204)."""

    body: AsyncIterator[bytes] | None
    media_type: str = "text/plain"


@dataclass(frozen=True, slots=True)
class ProcessConnection:
    """A process that takes over the connection once the client has asked for an upgrade."""

    open: Callable[[], Awaitable[Session]]
    """Reaches the process's node, which may refuse by an ApiError."""
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


@dataclass(frozen=True, slots=True)
class PortConnections:
    """Ports to which the client connects, as often as it likes, once it has asked for an upgrade."""

    open: Callable[[], Awaitable[PortForwarding]]
    """Reaches the ports' node, which may refuse by an ApiError."""
    ports: Sequence[int] | None
    """The ports that the query names, where it does: for protocols that open each of them once."""


Connection: TypeAlias = TextStream | ProcessConnection | PortConnections
"""What a client connects to."""


class Connector(Protocol):
    """What a client reaches behind a subresource that serves no object (``log``, ``exec``)."""

    async def __call__(self, registry: Registry, namespace: str, name: str, query: Query) -> Connection:
        """Opens the connection. Raises ApiError."""
