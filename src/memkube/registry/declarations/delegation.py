"""Groups and versions that other servers serve (kube-aggregator's APIServices with a service)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.hooks.configuration import ClientConfig


class Priority(NamedTuple):
    """The position of a version in discovery. Higher priorities come first."""

    group: int
    """Priority of the group. The highest among the versions of a group applies."""
    version: int


DEFAULT_PRIORITY: Final = Priority(1000, 100)
"""Priority of the versions of custom kinds."""


@dataclass(frozen=True, slots=True)
class PublishedDocuments:
    """Discovery and OpenAPI documents of another server."""

    discovery: Document | None = None
    """The version in aggregated discovery; None if the server could not be reached."""
    openapi_v3: Mapping[str, str] = field(default_factory=dict)
    """Addresses of its OpenAPI v3 documents, by path without ``/openapi/v3/``."""
    openapi_v2: Document | None = None
    """Its OpenAPI v2 document."""


@dataclass(frozen=True, slots=True)
class Delegate:
    """The server that serves a group and version."""

    config: ClientConfig
    available: bool
    """True if requests are forwarded to the server."""
    published: PublishedDocuments = field(default_factory=PublishedDocuments)
