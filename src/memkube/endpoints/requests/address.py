"""The shapes of REST addresses, and what cannot be one (apiserver ``endpoints/request``: RequestInfo)."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import GroupResource
from memkube.apimachinery.shown_values import quoted
from memkube.telemetry.request_record import Target

_BAD_ESCAPE = re.compile(rb"%(?![0-9a-fA-F]{2})")
_MOST_REMEMBERED = 256
"""The longest path that is remembered."""
HEALTH: Final = ("healthz", "livez", "readyz")
"""Where the checks are."""
_HEALTH_PATHS: Final = tuple(f"/{name}" for name in HEALTH)
DOCS_FILES: Final = "/docs/files"
"""Where the files are that the page at ``/docs`` shows the documents with."""
_NAMESPACE_SUBRESOURCES = frozenset({"status", "finalize"})


class MalformedRequest(Exception):
    """Not even an address can be made of the request: the answer is a line of text, no Status."""

    def __init__(self, text: str = "400 Bad Request", code: int = 400) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


@dataclass(frozen=True, slots=True)
class Address(Target):
    """What an address below ``/api`` or ``/apis`` names. Empty parts are absent."""

    rest: str = ""
    """What follows the subresource."""
    watch: bool = False
    """The address is one of the deprecated ``/watch/`` ones."""

    @property
    def is_below_version(self) -> bool:
        """True if the address names more than a version, whose own address is one of discovery."""
        return bool(self.resource or self.name or self.watch)

    @property
    def group_resource(self) -> GroupResource:
        """The resource as the client knows it, even where another one stores its objects."""
        return GroupResource(self.group, self.resource)


def parse_address(path: str) -> Address | None:
    """What a path names; None where it is no REST address of a group and version.

    One slash at the end does not matter; empty segments are segments like others.
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
"""Many clients ask for the same again."""


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
    """Raises MalformedRequest where the path has a percent sign that escapes nothing."""
    if _BAD_ESCAPE.search(scope.get("raw_path") or b""):
        raise MalformedRequest


def check_watched(address: Address, scope: AsgiScope) -> None:
    """Raises MalformedRequest for a deprecated ``/watch`` address that ends there."""
    if address.resource:
        return
    uri = b"?".join(part for part in (scope.get("raw_path") or b"", scope["query_string"]) if part).decode("latin-1")
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {uri}"
    raise MalformedRequest(f"Internal Server Error: {quoted(uri)}: {why}\n", 500)
