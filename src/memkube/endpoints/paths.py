"""The shapes of REST addresses (apiserver ``endpoints/request``: RequestInfo)."""

from dataclasses import dataclass

from memkube.apimachinery.errors import GroupResource


@dataclass(frozen=True, slots=True)
class Address:
    """What an address below ``/api`` or ``/apis`` names. Empty parts are absent."""

    group: str
    version: str
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    """What follows the subresource."""
    watch: bool = False
    """The address is one of the deprecated ``/watch/`` ones."""

    @property
    def group_resource(self) -> GroupResource:
        """The resource as the client knows it, even where another one stores its objects."""
        return GroupResource(self.group, self.resource)


def parse_address(path: str) -> Address | None:
    """What a path names; None where it is no REST address of a group and version.

    One slash at the end does not matter; empty segments are segments like others.
    """
    parts = path.removesuffix("/").split("/")[1:]
    if parts[0] == "api" and len(parts) >= 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) >= 3 and parts[1]:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    watch = rest[:1] == ["watch"]
    return _within(group, version, rest[1:] if watch else rest, watch)


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


_NAMESPACE_SUBRESOURCES = frozenset({"status", "finalize"})
