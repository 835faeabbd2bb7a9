"""Groups and versions that are served by other servers (kube-aggregator: an APIService with ``spec.service``)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.hooks.configuration import ClientConfig


class Priority(NamedTuple):
    """The position of an API group and version in discovery. Higher numbers come first."""

    group: int
    """Group priority. If the versions of a group have different ones, the highest applies."""
    version: int


DEFAULT_PRIORITY: Final = Priority(1000, 100)
"""Priority of custom kinds' groups and versions."""


class PublishedDocuments(NamedTuple):
    """Discovery and OpenAPI documents that another server publishes."""

    discovery: Document | None = None
    """The version's entry in the aggregated discovery document; None if the server could not be reached."""
    openapi_v3: Mapping[str, str] = MappingProxyType({})
    """URLs of the server's OpenAPI v3 documents, by path without ``/openapi/v3/``."""
    openapi_v2: Document | None = None
    """The server's OpenAPI v2 document."""


class Delegate(NamedTuple):
    """The server to which requests for a group and version are forwarded."""

    config: ClientConfig
    available: bool
    """True if the server is available, so that requests are forwarded to it."""
    published: PublishedDocuments = PublishedDocuments()
