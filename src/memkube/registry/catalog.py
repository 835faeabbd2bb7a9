"""The resources that are served right now. Kinds may come and go while the server runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf import Messages
from memkube.registry.resource import Resource


@dataclass(frozen=True, slots=True)
class KindName:
    """A group, version and kind."""

    group: str
    version: str
    kind: str

    @classmethod
    def of(cls, api_version: str, kind: str) -> "KindName":
        """The name that an object's apiVersion and kind spell."""
        group, _, version = api_version.rpartition("/")
        return cls(group, version, kind)

    @property
    def api_version(self) -> str:
        """What objects carry as apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def internal_name(self) -> str:
        """How the reference names the kind without a version: ``core.Pod``. Events of both groups are one kind."""
        group = "" if (self.group, self.kind) == ("events.k8s.io", "Event") else self.group
        return f"{group.split('.')[0] or 'core'}.{self.kind}"


class Catalog:
    """Looks resources up; routing, discovery and OpenAPI ask it on every request."""

    def __init__(
        self,
        resources: Iterable[Resource] = (),
        known_kinds: Mapping[str, frozenset[str]] | None = None,
        messages: Messages | None = None,
    ) -> None:
        self._known_kinds = known_kinds or {}
        self._resources: dict[tuple[str, str, str], Resource] = {}
        self._groups: set[str] = set()
        self.messages = messages or Messages(go_package)
        """Reads objects in protobuf."""
        self.generation = 0
        """Grows with every change of what is served."""
        self._listeners: list[Callable[[], None]] = []
        for resource in resources:
            self.add(resource)

    def add(self, resource: Resource) -> None:
        """Serves a resource from now on, in place of one of the same group, version and plural."""
        self._resources[resource.group, resource.version, resource.plural] = resource
        self._groups.add(resource.group)
        self._changed()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Calls `listener` after every change of what is served, for as long as the catalog lives."""
        self._listeners.append(listener)

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """The resource behind a path, if it is served."""
        return self._resources.get((group, version, plural))

    def knows(self, kind: KindName) -> bool:
        """Whether the reference has such a kind, be it served here or not: it words refusals differently."""
        known = self._known_kinds.get(kind.api_version, frozenset())
        return kind.kind in known or any(
            (r.group, r.version, r.kind) == (kind.group, kind.version, kind.kind) for r in self._resources.values()
        )

    def of_kind(self, kind: KindName) -> Resource | None:
        """The resource whose objects are of this kind, if it is served."""
        return next((r for r in self.in_version(kind.group, kind.version) if r.kind == kind.kind), None)

    def has_group(self, group: str) -> bool:
        """Whether anything of a group is served."""
        return group in self._groups

    def groups(self) -> dict[str, list[str]]:
        """Group -> versions, in the order in which they were added."""
        groups: dict[str, list[str]] = {}
        for group, version, _ in self._resources:
            versions = groups.setdefault(group, [])
            if version not in versions:
                versions.append(version)
        return groups

    def in_version(self, group: str, version: str) -> list[Resource]:
        """The resources of one group and version, by plural."""
        found = [r for r in self._resources.values() if (r.group, r.version) == (group, version)]
        return sorted(found, key=lambda r: r.plural)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._resources.values())

    def _changed(self) -> None:
        self.generation += 1
        for listener in self._listeners:
            listener()
