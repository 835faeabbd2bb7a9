"""API groups and versions that other servers serve (kube-aggregator: an APIService with ``spec.service``)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.hooks.configuration import ClientConfig


class Priority(NamedTuple):
    """Priority of an API group, and of a version in its group. Discovery lists the highest numbers first."""

    group: int
    """Priority of the group. If the versions of a group declare different numbers, the highest number applies."""
    version: int


DEFAULT_PRIORITY: Final = Priority(1000, 100)
"""Priority of the groups and versions of custom kinds."""


class PublishedDocuments(NamedTuple):
    """Discovery and OpenAPI documents that an extension API server publishes for a group and version."""

    discovery: Document | None = None
    """The version's entry in the discovery document of the extension API server; None if it could not be reached."""
    openapi_v3: Mapping[str, str] = MappingProxyType({})
    """URLs of the extension API server's OpenAPI v3 documents, by path without ``/openapi/v3/``."""
    openapi_v2: Document | None = None
    """OpenAPI v2 document of the extension API server; None if it could not be reached."""


class Delegate(NamedTuple):
    """The server to which requests for a group and version are forwarded."""

    config: ClientConfig
    available: bool
    """True if the APIService is available; requests are forwarded only then."""
    published: PublishedDocuments = PublishedDocuments()
