"""Who depends on whom (``graph.go``), and owners that are known not to exist."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apis.core.v1.references import ObjectReference
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

Reference: TypeAlias = Mapping[str, Any]
"""An owner reference as JSON."""
_CAPACITY: Final = 500


class Identity(NamedTuple):
    """An object, as it is or as somebody believes it to be. The order of fields is that of the reference."""

    kind: str
    api_version: str
    namespace: str
    name: str
    uid: str

    @classmethod
    def of(cls, resource: Resource, stored: StoredObject) -> "Identity":
        """The identity of an object that exists."""
        return cls(resource.kind, resource.api_version, stored.namespace, stored.name, stored.uid)

    @classmethod
    def referred_to(cls, reference: Reference, namespace: str) -> "Identity":
        """The owner that a reference on an object of `namespace` means."""
        return cls(reference["kind"], reference["apiVersion"], namespace, reference["name"], reference["uid"])

    def reference(self) -> ObjectReference:
        """The object as an event names it."""
        return ObjectReference(
            kind=self.kind, apiVersion=self.api_version, namespace=self.namespace, name=self.name, uid=self.uid
        )

    def is_meant_by(self, reference: Reference) -> bool:
        """Whether a reference describes this object, leaving its namespace aside."""
        return (self.kind, self.api_version, self.name, self.uid) == (
            reference["kind"],
            reference["apiVersion"],
            reference["name"],
            reference["uid"],
        )


def blocks(reference: Reference) -> bool:
    """Whether the owner's foreground deletion waits for the object that carries the reference."""
    return reference.get("blockOwnerDeletion") is True


class Node:
    """An object in the graph.

    A virtual one has been seen in references only, so that its identity is what a dependent says.
    """

    __slots__ = ("being_deleted", "deleting_dependents", "dependents", "identity", "owners", "virtual")

    def __init__(self, identity: Identity, owners: Sequence[Reference] = (), *, virtual: bool = False) -> None:
        self.identity = identity
        self.owners = owners
        self.virtual = virtual
        self.dependents: dict[Node, None] = {}
        self.being_deleted = False
        self.deleting_dependents = False
        """It is being deleted in the foreground."""

    def __repr__(self) -> str:
        identity = self.identity
        return f"{identity.api_version} {identity.kind} {identity.namespace}/{identity.name} ({identity.uid})"

    def known_as(self, identity: Identity) -> "Node":
        """The same node under another identity. Whoever still holds the old one can tell."""
        node = Node(identity, self.owners, virtual=self.virtual)
        node.dependents = dict(self.dependents)
        node.being_deleted = self.being_deleted
        node.deleting_dependents = self.deleting_dependents
        return node

    def blocking_dependents(self) -> list["Node"]:
        """The dependents that a foreground deletion waits for."""
        uid = self.identity.uid
        return [d for d in self.dependents if any(o["uid"] == uid and blocks(o) for o in d.owners)]

    def dependents_by_belief(self, owner: Identity) -> tuple[list["Node"], list["Node"]]:
        """Dependents that mean `owner`, and those that mean another object of its uid; one may be in both."""
        matching: list[Node] = []
        other: list[Node] = []
        for dependent in self.dependents:
            beliefs = [
                owner.namespace in ("", dependent.identity.namespace) and owner.is_meant_by(reference)
                for reference in dependent.owners
                if reference["uid"] == owner.uid
            ]
            if True in beliefs:
                matching.append(dependent)
            if False in beliefs:
                other.append(dependent)
        return matching, other


class Graph:
    """All nodes by uid."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}

    def get(self, uid: str) -> Node | None:
        """The node of an object, be it virtual or not."""
        return self._nodes.get(uid)

    def put(self, node: Node) -> None:
        """Adds a node, in place of one with the same uid."""
        self._nodes[node.identity.uid] = node

    def remove(self, node: Node) -> None:
        """Takes a node out, and out of its owners' dependents."""
        self._nodes.pop(node.identity.uid, None)
        self.unlink(node, node.owners)

    def unlink(self, node: Node, owners: Iterable[Reference]) -> None:
        """Takes a node out of the dependents of some owners."""
        for reference in owners:
            owner = self._nodes.get(reference["uid"])
            if owner is not None:
                owner.dependents.pop(node, None)


class AbsentOwners:
    """Remembers the owners that were asked for last. A uid never comes back, so that what is absent stays so."""

    def __init__(self) -> None:
        self._known: OrderedDict[Identity, None] = OrderedDict()

    def add(self, owner: Identity) -> None:
        """Remembers an owner."""
        self._known[owner] = None
        self._known.move_to_end(owner)
        if len(self._known) > _CAPACITY:
            self._known.popitem(last=False)

    def __contains__(self, owner: Identity) -> bool:
        found = owner in self._known
        if found:
            self._known.move_to_end(owner)
        return found
