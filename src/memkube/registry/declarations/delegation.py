"""Groups and versions that are left to other servers (kube-aggregator's APIServices with a service)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.hooks.configuration import ClientConfig


class Priority(NamedTuple):
    """Where discovery names a version; the highest come first."""

    group: int
    """The highest of all versions of a group counts."""
    version: int


DEFAULT_PRIORITY: Final = Priority(1000, 100)
"""That of versions of custom kinds."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a server has told of itself."""

    discovery: Document | None = None
    """Its version in the form of aggregated discovery; None where it could not be asked."""
    openapi_v3: Mapping[str, str] = field(default_factory=dict)
    """Where its OpenAPI v3 documents are, by their paths without ``/openapi/v3/``."""
    openapi_v2: Document | None = None
    """Its OpenAPI v2 document."""


@dataclass(frozen=True, slots=True)
class Delegate:
    """Who serves a group and version."""

    config: ClientConfig
    available: bool
    """Whether requests are passed on."""
    told: Told = field(default_factory=Told)
