"""The address of a request: group, version, resource and name (apiserver ``endpoints/request``: RequestInfo)."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import GroupResource
from memkube.apimachinery.shown_values import quoted
from memkube.telemetry.request_log import Target

_BAD_ESCAPE = re.compile(rb"%(?![0-9a-fA-F]{2})")
_MOST_REMEMBERED = 256
"""Maximum number of characters of a path whose address is cached."""
HEALTH: Final = ("healthz", "livez", "readyz")
"""Paths of the health checks, without those of single checks below them."""
_HEALTH_PATHS: Final = tuple(f"/{name}" for name in HEALTH)
DOCS_FILES: Final = "/docs/files"
"""Path of the files of Swagger UI."""
_NAMESPACE_SUBRESOURCES = frozenset({"status", "finalize"})


class MalformedRequest(Exception):
    """Raised if the path of a request is malformed. It is answered with a line of text instead of a Status."""

    def __init__(self, text: str = "400 Bad Request", code: int = 400) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


@dataclass(frozen=True, slots=True)
class Address(Target):
    """The parts of a path below ``/api`` or ``/apis``. Missing parts are ""."""

    rest: str = ""
    """The path after the subresource, as in a request to a ``proxy`` subresource."""
    watch: bool = False
    """True for a deprecated ``/watch/`` path."""

    @property
    def is_below_version(self) -> bool:
        """True if the address names a resource, and not only a group and version."""
        return bool(self.resource or self.name or self.watch)

    @property
    def group_resource(self) -> GroupResource:
        """The resource as the client names it, even if its objects are stored as another resource."""
        return GroupResource(self.group, self.resource)


def parse_address(path: str) -> Address | None:
    """Return the parts of a path; None if it is not below a group and version.

    One slash at the end is ignored; empty segments count as segments.
    """
    return _known(path) if len(path) <= _MOST_REMEMBERED else _parsed(path)


def _parsed(path: str) -> Address | None:
    parts = path.removesuffix("/").split("/")[1:]
    if len(parts) >= 2 and parts[0] == "api":
        group, version, rest = "", parts[1], parts[2:]
    elif len(parts) >= 3 and parts[0] == "apis" and parts[1]:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    watch = rest[:1] == ["watch"]
    return _within(group, version, rest[1:] if watch else rest, watch)


_known = lru_cache(maxsize=1024)(_parsed)
"""The address of a path, cached because clients repeat their paths."""


def _within(group: str, version: str, rest: list[str], watch: bool) -> Address:
    namespace = ""
    if rest[:1] == ["namespaces"] and len(rest) > 2 and rest[2] not in _NAMESPACE_SUBRESOURCES:
        namespace, rest = rest[1], rest[2:]
    count = len(rest)
    return Address(
        group,
        version,
        namespace,
        rest[0] if count else "",
        rest[1] if count > 1 else "",
        rest[2] if count > 2 else "",
        "/".join(rest[3:]),
        watch,
    )


def is_health_check(path: str) -> bool:
    """Return True for the paths of health checks, which are never limited."""
    return path.startswith(_HEALTH_PATHS)


def check_escapes(scope: AsgiScope) -> None:
    """Check the escapes in the path. Raises MalformedRequest if a percent sign is not followed by two hex digits."""
    if _BAD_ESCAPE.search(scope.get("raw_path") or b""):
        raise MalformedRequest


def check_watched(address: Address, scope: AsgiScope) -> None:
    """Check a deprecated ``/watch`` path. Raises MalformedRequest if it names no resource."""
    if address.resource:
        return
    uri = b"?".join(part for part in (scope.get("raw_path") or b"", scope["query_string"]) if part).decode("latin-1")
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {uri}"
    raise MalformedRequest(f"Internal Server Error: {quoted(uri)}: {why}\n", 500)
