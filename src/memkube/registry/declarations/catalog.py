"""The catalog of served resources. Resources can be added and removed while the server runs."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf import Messages
from memkube.registry.declarations.delegation import DEFAULT_PRIORITY, Delegate, Priority
from memkube.registry.declarations.kinds import KindName, KnownKinds, WrongKind, unconvertible, unregistered
from memkube.registry.declarations.resource import Resource

Listener: TypeAlias = Callable[[], None]
_kube_version: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?").fullmatch
_HIGHEST_PRIORITY: Final = 20_001
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}


class Catalog:
    """All resources that the server serves. Routing, discovery and OpenAPI look them up on every request."""

    def __init__(
        self,
        resources: Iterable[Resource] = (),
        known: KnownKinds | None = None,
        messages: Messages | None = None,
        group_order: Sequence[str] = (),
    ) -> None:
        """Create a catalog that serves `resources`.

        `known` has the kinds that kube-apiserver can decode, and `messages` decodes Kubernetes' protobuf. Discovery
        lists the groups in `group_order` first, then all other groups by name.
        """
        self._known = known or KnownKinds({}, {})
        self._resources: dict[tuple[str, str, str], Resource] = {}
        self._group_order = {group: index for index, group in enumerate(group_order)}
        self.groups: dict[str, list[str]] = {}
        """Versions of each served group, preferred versions first, groups in kube-apiserver's order."""
        self.messages = messages or Messages(go_package)
        """Decoder of objects in Kubernetes' protobuf encoding."""
        self.generation = 0
        """Number of times that the set of served resources has changed."""
        self._generations: dict[str, int] = {}
        self._listeners: list[Listener] = []
        self.delegated: Mapping[tuple[str, str], Delegate] = {}
        """Servers to which requests are forwarded, by group and version.

        Requests are forwarded even if this server serves the group and version as well.
        """
        self._priorities: Mapping[tuple[str, str], Priority] = {}
        self.serve(resources)

    def add(self, resource: Resource) -> None:
        """Serve a resource. It replaces a resource with the same group, version and plural."""
        self.serve((resource,))

    def serve(self, resources: Iterable[Resource]) -> None:
        """Serve several resources, such as all versions of a kind. Listeners are called once for all of them."""
        self._change(served=resources)

    def remove(self, group: str, plural: str) -> None:
        """Stop serving all versions of a resource. Its objects remain in storage."""
        self._change(removed=[r for r in self._resources.values() if (r.group, r.plural) == (group, plural)])

    def replace(self, resources: Iterable[Resource]) -> None:
        """Serve a resource in the versions `resources`, and no longer in any other version."""
        new = list(resources)
        names = {(r.group, r.plural) for r in new}
        self._change(served=new, removed=[r for r in self._resources.values() if (r.group, r.plural) in names])

    def delegate(
        self,
        delegates: Mapping[tuple[str, str], Delegate],
        priorities: Mapping[tuple[str, str], Priority] = MappingProxyType({}),
    ) -> None:
        """Forward requests for each group and version in `delegates` to the server to which it is mapped there.

        This replaces the mapping of an earlier call: requests for other groups and versions are no longer forwarded.

        `priorities` has the versions of all APIServices. Discovery sorts groups and versions by these priorities; a
        version that is missing there has the priority of a version with custom kinds.
        """
        if delegates != self.delegated:
            # Caches of documents compare this dictionary by identity.
            self.delegated = dict(delegates)
        self._priorities = dict(priorities)

    def on_change(self, listener: Listener) -> Listener:
        """Call `listener` after every change of the served resources. Return a function that removes the listener."""
        self._listeners = [*self._listeners, listener]
        return lambda: self._forget(listener)

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """Return the resource with this group, version and plural, or None if it is not served."""
        return self._resources.get((group, version, plural))

    def is_served(self, resource: Resource) -> bool:
        """Return True if `resource` itself, not an equal declaration, is served for its group, version and plural."""
        return self.find(resource.group, resource.version, resource.plural) is resource

    def of_kind(self, kind: KindName) -> Resource | None:
        """Return the served resource whose objects have this kind, or None."""
        wanted = (kind.group, kind.version, kind.kind)
        return next((r for r in self._resources.values() if (r.group, r.version, r.kind) == wanted), None)

    def check_kind(self, expected: KindName, api_version: str, kind: str) -> KindName:
        """Return the kind that the object's apiVersion and kind fields name, or the expected kind if they are empty.

        The version may differ from the expected one. Raises WrongKind, with kube-apiserver's message, if the object is
        of another kind.
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

    def internal_kind_error(self, expected: KindName, kind: str) -> WrongKind:
        """Return the error for a patched object without apiVersion that has the kind `kind` instead of `expected`."""
        return self._known.internal_kind_error(expected, kind)

    def internal_name(self, kind: KindName) -> str:
        """Return the name of the internal Go type of a kind, such as ``core.Pod``."""
        return self._known.internal_name(kind)

    def share_a_scheme(self, one: KindName, other: KindName) -> bool:
        """Return True if both kinds belong to the same ``runtime.Scheme`` of kube-apiserver."""
        return self._known.scheme_of(one) == self._known.scheme_of(other)

    def can_decode(self, found: KindName, expected: KindName) -> bool:
        """Return True if the ``runtime.Scheme`` of the kind `expected` contains the kind `found`."""
        return self._known.has(found, self._known.scheme_of(expected))

    def _is_declared(self, kind: KindName) -> bool:
        """Return True for a built-in kind of memkube that no ``runtime.Scheme`` of kube-apiserver contains."""
        resource = self.of_kind(kind)
        return resource is not None and resource.structural is None and kind.api_version not in self._known.kinds

    def discovered_groups(self) -> dict[str, list[str]]:
        """Return the served versions by group, in the order of discovery, including those that other servers serve."""
        if not self.delegated:
            return self.groups
        return _prioritized({*_pairs(self.groups), *self.delegated}, self._priorities, self._group_order)

    def registered_groups(self) -> dict[str, list[str]]:
        """Return the versions by group, like `discovered_groups`, with those of APIServices that no server serves.

        An example is the version of a CustomResourceDefinition whose names are taken.
        """
        served = self.discovered_groups()
        if all(version in served.get(group, ()) for group, version in self._priorities):
            return served
        return _prioritized({*_pairs(served), *self._priorities}, self._priorities, self._group_order)

    def group_generation(self, group: str) -> int:
        """Return the number of times that the served resources of one group have changed."""
        return self._generations.get(group, 0)

    def has_built_in(self, group: str) -> bool:
        """Return True if the server serves built-in kinds of this group.

        Custom kinds of such a group are not served, as in Kubernetes: there the server of the built-in kinds gets all
        requests for the group.
        """
        return any(resource.structural is None for resource in self._resources.values() if resource.group == group)

    def in_version(self, group: str, version: str) -> list[Resource]:
        """Return the resources of one group and version, sorted by plural."""
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
        self.groups = _ordered({(group, version) for group, version, _ in self._resources}, self._group_order)
        for listener in self._listeners:
            listener()

    def close(self) -> None:
        """Remove all listeners of :meth:`on_change`, after the server has stopped."""
        self._listeners = []

    def _forget(self, listener: Listener) -> None:
        self._listeners = [other for other in self._listeners if other != listener]

    def _touch(self, resource: Resource) -> bool:
        self._generations[resource.group] = self.group_generation(resource.group) + 1
        return True


def _pairs(groups: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    return ((group, version) for group, versions in groups.items() for version in versions)


def _ordered(versions: Iterable[tuple[str, str]], group_order: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the versions by group.

    Groups have the order of `group_order`, and all others follow sorted by name. Versions are sorted by stability.
    """
    by_group: dict[str, list[str]] = {}
    for group, version in versions:
        by_group.setdefault(group, []).append(version)
    names = sorted(by_group, key=lambda group: (group_order.get(group, len(group_order)), group))
    return {name: sorted(by_group[name], key=version_priority) for name in names}


def _prioritized(
    versions: Iterable[tuple[str, str]], priorities: Mapping[tuple[str, str], Priority], group_order: Mapping[str, int]
) -> dict[str, list[str]]:
    """Return the versions by group; groups and versions are sorted by `priorities` (``SortedByGroupAndVersion``).

    With equal priorities, the order is the one of :func:`_ordered`: groups are sorted by `group_order`, and versions by
    their stability.
    """
    groups = _ordered(versions, group_order)

    def of_version(group: str, version: str) -> int:
        return priorities.get((group, version), DEFAULT_PRIORITY).version

    def of_group(group: str) -> int:
        known = [priorities.get((group, version)) for version in groups[group]]
        declared = [priority.group for priority in known if priority is not None]
        # No APIService gives apiregistration.k8s.io a priority. This group is always first.
        return max(declared, default=_HIGHEST_PRIORITY if group in group_order else DEFAULT_PRIORITY.group)

    names = sorted(groups, key=lambda group: -of_group(group))
    return {name: sorted(groups[name], key=lambda version: -of_version(name, version)) for name in names}


def version_priority(version: str) -> tuple[int, int, int, int, str]:
    """Return a sort key for versions: stable versions first, then beta, then alpha (newest first), then other names.

    Source: apimachinery ``version.CompareKubeAwareVersionStrings``.
    """
    found = _kube_version(version)
    if found is None:
        return (1, 0, 0, 0, version)
    return (0, -_STAGES[found[2]], -int(found[1]), -int(found[3] or 0), version)
