"""The resources that are served right now. Kinds may come and go while the server runs."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf import Messages
from memkube.registry.declarations.delegation import DEFAULT_PRIORITY, Delegate, Priority
from memkube.registry.declarations.kinds import KindName, KnownKinds, unconvertible, unregistered
from memkube.registry.declarations.resource import Resource

Listener: TypeAlias = Callable[[], None]
_kube_version: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?").fullmatch
_HIGHEST_PRIORITY: Final = 20_001
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}


class Catalog:
    """Looks resources up; routing, discovery and OpenAPI ask it on every request."""

    def __init__(
        self,
        resources: Iterable[Resource] = (),
        known: KnownKinds | None = None,
        messages: Messages | None = None,
        group_order: Sequence[str] = (),
    ) -> None:
        """`group_order` names groups that come before all others, which go by their names."""
        self._known = known or KnownKinds({}, {})
        self._resources: dict[tuple[str, str, str], Resource] = {}
        self._group_order = {group: place for place, group in enumerate(group_order)}
        self._groups: dict[str, list[str]] = {}
        self.messages = messages or Messages(go_package)
        """Reads objects in protobuf."""
        self.generation = 0
        """Grows with every change of what is served."""
        self._generations: dict[str, int] = {}
        self._listeners: list[Listener] = []
        self.delegated: Mapping[tuple[str, str], Delegate] = {}
        """Groups and versions that are left to other servers, whatever is served of them here."""
        self._priorities: Mapping[tuple[str, str], Priority] = {}
        self.serve(resources)

    def add(self, resource: Resource) -> None:
        """Serves a resource from now on, in place of one of the same group, version and plural."""
        self.serve((resource,))

    def serve(self, resources: Iterable[Resource]) -> None:
        """Serves resources from now on, such as all versions of one; listeners are told once."""
        self._change(served=resources)

    def remove(self, group: str, plural: str) -> None:
        """Serves no version of a resource any more. What storage keeps of it stays there."""
        self._change(removed=[r for r in self._resources.values() if (r.group, r.plural) == (group, plural)])

    def replace(self, resources: Iterable[Resource]) -> None:
        """Serves these versions of a resource instead of those that have been served."""
        new = list(resources)
        names = {(r.group, r.plural) for r in new}
        self._change(served=new, removed=[r for r in self._resources.values() if (r.group, r.plural) in names])

    def delegate(
        self,
        delegates: Mapping[tuple[str, str], Delegate],
        priorities: Mapping[tuple[str, str], Priority] = MappingProxyType({}),
    ) -> None:
        """Leaves these groups and versions, and no others, to other servers from now on.

        Then discovery names versions by their priorities, those without one as versions of custom kinds.
        """
        self.delegated = dict(delegates)
        self._priorities = dict(priorities)

    def on_change(self, listener: Listener) -> Listener:
        """Calls `listener` after every change of what is served, until what is returned is called."""
        self._listeners = [*self._listeners, listener]
        return lambda: self._forget(listener)

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """The resource behind a path, if it is served."""
        return self._resources.get((group, version, plural))

    def is_served(self, resource: Resource) -> bool:
        """Whether it is this resource that is served, and no other in its place."""
        return self.find(resource.group, resource.version, resource.plural) is resource

    def of_kind(self, kind: KindName) -> Resource | None:
        """The resource whose objects are of this kind, if it is served."""
        wanted = (kind.group, kind.version, kind.kind)
        return next((r for r in self._resources.values() if (r.group, r.version, r.kind) == wanted), None)

    def check_kind(self, expected: KindName, api_version: str, kind: str) -> KindName:
        """The kind that an object names, the expected one where it names none; versions may differ.

        Raises WrongKind, in words that depend on whether the reference has such a kind, be it served here or not.
        """
        if kind in (expected.kind, "") and api_version in (expected.api_version, ""):
            return expected
        found = KindName.of(api_version or expected.api_version, kind or expected.kind)
        if found == expected:
            return found
        scheme = self._known.scheme_of(expected)
        if not self._known.has(found, scheme) and not self._is_declared(found):
            raise unregistered(found, scheme)
        internal_name = self._known.internal_name(expected)
        if self._known.internal_name(found) != internal_name:
            raise unconvertible(found, internal_name)
        return found

    def share_a_scheme(self, one: KindName, other: KindName) -> bool:
        """Whether one server of the reference knows both kinds."""
        return self._known.scheme_of(one) == self._known.scheme_of(other)

    def _is_declared(self, kind: KindName) -> bool:
        """Whether it is a kind that the reference does not have, and not a custom one, which it has in no scheme."""
        resource = self.of_kind(kind)
        return resource is not None and resource.structural is None and kind.api_version not in self._known.kinds

    def has_group(self, group: str) -> bool:
        """Whether anything of a group is served."""
        return group in self._groups

    def groups(self) -> dict[str, list[str]]:
        """Group -> versions, preferred ones first; groups in the reference's order."""
        return self._groups

    def discovered_groups(self) -> dict[str, list[str]]:
        """The groups and versions that clients are told of: those that are served, here or by other servers."""
        if not self.delegated:
            return self._groups
        return _prioritized({*_pairs(self._groups), *self.delegated}, self._priorities, self._group_order)

    def group_generation(self, group: str) -> int:
        """Grows with every change of what is served of one group."""
        return self._generations.get(group, 0)

    def in_version(self, group: str, version: str) -> list[Resource]:
        """The resources of one group and version, by plural."""
        found = [r for r in self._resources.values() if (r.group, r.version) == (group, version)]
        return sorted(found, key=lambda r: r.plural)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._resources.values())

    def _change(self, served: Iterable[Resource] = (), removed: Iterable[Resource] = ()) -> None:
        changed = False
        for resource in removed:
            del self._resources[resource.group, resource.version, resource.plural]
            changed = self._touch(resource)
        for resource in served:
            self._resources[resource.group, resource.version, resource.plural] = resource
            changed = self._touch(resource)
        if not changed:
            return
        self.generation += 1
        self._groups = _ordered({(group, version) for group, version, _ in self._resources}, self._group_order)
        for listener in self._listeners:
            listener()

    def close(self) -> None:
        """Remove all listeners, which refer to the server."""
        self._listeners = []

    def _forget(self, listener: Listener) -> None:
        self._listeners = [other for other in self._listeners if other != listener]

    def _touch(self, resource: Resource) -> bool:
        self._generations[resource.group] = self.group_generation(resource.group) + 1
        return True


def _pairs(groups: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    return ((group, version) for group, versions in groups.items() for version in versions)


def _ordered(versions: Iterable[tuple[str, str]], group_order: Mapping[str, int]) -> dict[str, list[str]]:
    """Group -> versions, each in their order."""
    by_group: dict[str, list[str]] = {}
    for group, version in versions:
        by_group.setdefault(group, []).append(version)
    names = sorted(by_group, key=lambda group: (group_order.get(group, len(group_order)), group))
    return {name: sorted(by_group[name], key=version_priority) for name in names}


def _prioritized(
    versions: Iterable[tuple[str, str]], priorities: Mapping[tuple[str, str], Priority], group_order: Mapping[str, int]
) -> dict[str, list[str]]:
    """As _ordered, by priorities where there are any (kube-aggregator's ``SortedByGroupAndVersion``)."""
    groups = _ordered(versions, group_order)

    def of_version(group: str, version: str) -> int:
        return priorities.get((group, version), DEFAULT_PRIORITY).version

    def of_group(group: str) -> int:
        known = [priorities.get((group, version)) for version in groups[group]]
        told = [priority.group for priority in known if priority is not None]
        # The group of APIServices itself has none, and comes first.
        return max(told, default=_HIGHEST_PRIORITY if group in group_order else DEFAULT_PRIORITY.group)

    names = sorted(groups, key=lambda group: -of_group(group))
    return {name: sorted(groups[name], key=lambda version: -of_version(name, version)) for name in names}


def version_priority(version: str) -> tuple[int, int, int, int, str]:
    """Orders versions as the reference does: stable before beta before alpha, newest first, other names last.

    Source: apimachinery ``version.CompareKubeAwareVersionStrings``.
    """
    found = _kube_version(version)
    if found is None:
        return (1, 0, 0, 0, version)
    return (0, -_STAGES[found[2]], -int(found[1]), -int(found[3] or 0), version)
