"""Subresources that are no part of their object: what POST does there, and what GET streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from memkube.apimachinery.model import Document
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry


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
class Connection:
    """What a client connects to: a body of text, or nothing yet (204)."""

    body: AsyncIterator[bytes] | None
    media_type: str = "text/plain"


class Connector(Protocol):
    """What a client reaches behind a subresource that serves no object (``log``, ``exec``)."""

    async def __call__(
        self, registry: Registry, namespace: str, name: str, query: Mapping[str, list[str]]
    ) -> Connection:
        """Opens the connection. Raises ApiError."""
