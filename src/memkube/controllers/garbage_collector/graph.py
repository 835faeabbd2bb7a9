"""The graph of owners and dependents (``graph.go``), and a cache of owners that do not exist."""

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
    """Identity of an existing object, or of an owner as an owner reference names it.

    The fields have Kubernetes' order, which matters for sorting.
    """

    kind: str
    api_version: str
    namespace: str
    name: str
    uid: str

    @classmethod
    def of(cls, resource: Resource, stored: StoredObject) -> "Identity":
        """Return the identity of an existing object."""
        return cls(resource.kind, resource.api_version, stored.namespace, stored.name, stored.uid)

    @classmethod
    def referred_to(cls, reference: Reference, namespace: str) -> "Identity":
        """Return the identity of an owner from an owner reference of an object in `namespace`."""
        return cls(reference["kind"], reference["apiVersion"], namespace, reference["name"], reference["uid"])

    def reference(self) -> ObjectReference:
        """Return an ObjectReference to the object, for an Event about it."""
        return ObjectReference(
            kind=self.kind, apiVersion=self.api_version, namespace=self.namespace, name=self.name, uid=self.uid
        )

    def is_referenced_by(self, reference: Reference) -> bool:
        """True if an owner reference names this object.

        The namespace is not compared, because owner references have none.
        """
        return (self.kind, self.api_version, self.name, self.uid) == (
            reference["kind"],
            reference["apiVersion"],
            reference["name"],
            reference["uid"],
        )


def blocks(reference: Reference) -> bool:
    """True if an object with this owner reference blocks the foreground deletion of its owner."""
    return reference.get("blockOwnerDeletion") is True


class Node:
    """An object in the graph of owners and dependents.

    A virtual node stands for an owner that no informer has reported, and whose identity is known only from an owner
    reference.
    """

    __slots__ = ("being_deleted", "deleting_dependents", "dependents", "identity", "owners", "virtual")

    def __init__(self, identity: Identity, owners: Sequence[Reference] = (), *, virtual: bool = False) -> None:
        self.identity = identity
        self.owners = owners
        self.virtual = virtual
        self.dependents: dict[Node, None] = {}
        self.being_deleted = False
        self.deleting_dependents = False
        """True if the object is deleted in the foreground: after its dependents."""

    def __repr__(self) -> str:
        identity = self.identity
        return f"{identity.api_version} {identity.kind} {identity.namespace}/{identity.name} ({identity.uid})"

    def with_identity(self, identity: Identity) -> "Node":
        """Return a copy of this graph node with another identity.

        The old node is not changed, so that code which holds it can detect the replacement.
        """
        node = Node(identity, self.owners, virtual=self.virtual)
        node.dependents = dict(self.dependents)
        node.being_deleted = self.being_deleted
        node.deleting_dependents = self.deleting_dependents
        return node

    def blocking_dependents(self) -> list["Node"]:
        """The dependents whose owner references block the foreground deletion of this object."""
        uid = self.identity.uid
        return [d for d in self.dependents if any(o["uid"] == uid and blocks(o) for o in d.owners)]

    def dependents_by_reference(self, owner: Identity) -> tuple[list["Node"], list["Node"]]:
        """Return the dependents that name `owner`, and the dependents that name another object with the same uid."""
        matching: list[Node] = []
        other: list[Node] = []
        for dependent in self.dependents:
            beliefs = [
                owner.namespace in ("", dependent.identity.namespace) and owner.is_referenced_by(reference)
                for reference in dependent.owners
                if reference["uid"] == owner.uid
            ]
            if True in beliefs:
                matching.append(dependent)
            if False in beliefs:
                other.append(dependent)
        return matching, other


class Graph:
    """The objects that the garbage collector knows, as nodes by uid."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}

    def get(self, uid: str) -> Node | None:
        """Return the graph node with this uid, which may be virtual, or None if the graph has no such node."""
        return self._nodes.get(uid)

    def put(self, node: Node) -> None:
        """Add a node to the graph, or replace the node with the same uid."""
        self._nodes[node.identity.uid] = node

    def remove(self, node: Node) -> None:
        """Remove a node from the graph, and from its owners' sets of dependents."""
        self._nodes.pop(node.identity.uid, None)
        self.unlink(node, node.owners)

    def unlink(self, node: Node, owners: Iterable[Reference]) -> None:
        """Remove the object `node` from the dependents of each object that the owner references `owners` name."""
        for reference in owners:
            owner = self._nodes.get(reference["uid"])
            if owner is not None:
                owner.dependents.pop(node, None)


class AbsentOwners:
    """Cache of owners that do not exist. A uid is never used again, so the entries need not expire."""

    def __init__(self) -> None:
        self._known: OrderedDict[Identity, None] = OrderedDict()

    def add(self, owner: Identity) -> None:
        """Record that an owner does not exist."""
        self._known[owner] = None
        self._known.move_to_end(owner)
        if len(self._known) > _CAPACITY:
            self._known.popitem(last=False)

    def __contains__(self, owner: Identity) -> bool:
        found = owner in self._known
        if found:
            self._known.move_to_end(owner)
        return found
