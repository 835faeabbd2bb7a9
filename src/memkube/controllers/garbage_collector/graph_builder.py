"""Updates the graph of owners and dependents, and finds objects that may have to be deleted (``graph_builder.go``)."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

from memkube.controllers.framework.informer import Handler
from memkube.controllers.garbage_collector.graph import AbsentOwners, Graph, Identity, Node, Reference, blocks
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.writes.deletion import FOREGROUND, ORPHAN

Enqueue: TypeAlias = Callable[[Node], None]
Complain: TypeAlias = Callable[[Node, Identity], None]
"""Function that reports a dependent whose owner exists only in another namespace.

Its arguments are dependent and owner.
"""


def alternative(dependents: Iterable[Node], absent: Identity) -> Identity | None:
    """Return the identity to try next for an owner that was not found under the identity `absent`.

    The owner references of `dependents` may name different kinds, names or namespaces for the same uid. These
    identities are tried in sorted order; after the last one, the first one is tried again. Returns None if all
    references name `absent`.
    """
    beliefs = sorted(_beliefs(dependents, absent))
    return next((belief for belief in beliefs if belief > absent), beliefs[0] if beliefs else None)


def _beliefs(dependents: Iterable[Node], absent: Identity) -> set[Identity]:
    beliefs: set[Identity] = set()
    for dependent in dependents:
        for reference in dependent.owners:
            if reference["uid"] != absent.uid:
                continue
            belief = Identity.referred_to(reference, dependent.identity.namespace)
            cluster_scoped = absent.namespace == "" and belief[:2] == absent[:2]
            beliefs.add(belief._replace(namespace="") if cluster_scoped else belief)
    return beliefs - {absent}


class GraphBuilder:
    """Updates the graph of owners and dependents with watch events, and queues the nodes that need work.

    A node needs work if its object may have to be deleted, or if the object's dependents must be orphaned.
    """

    def __init__(self, delete: Enqueue, delete_later: Enqueue, orphan: Enqueue, complain: Complain) -> None:
        self.graph = Graph()
        self.absent_owners = AbsentOwners()
        self._delete = delete
        self._delete_later = delete_later
        self._orphan = orphan
        self._complain = complain

    def handler(self, resource: Resource) -> Handler:
        """Return the function that processes watch events about the objects of a resource."""
        return partial(self._on_change, resource)

    def observe_absence(self, absent: Identity) -> None:
        """Record that the object `absent` does not exist, although owner references may still name it."""
        node = self.graph.get(absent.uid)
        if node is None:
            return
        if node.virtual:
            matching, others = node.dependents_by_reference(absent)
            if others:
                self._give_up(absent, matching)
                self._try_alternative(node, absent, others)
                return
        elif node.identity != absent:
            self._give_up(absent, node.dependents_by_reference(absent)[0])
            return
        self._remove(node, absent)

    def _on_change(self, resource: Resource, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._observe(resource, old, new)
        elif old is not None:
            node = self.graph.get(old.uid)
            if node is not None:
                self._remove(self._confirmed(node, Identity.of(resource, old)), Identity.of(resource, old))

    def _observe(self, resource: Resource, old: StoredObject | None, new: StoredObject) -> None:
        node = self.graph.get(new.uid)
        metadata = new.document["metadata"]
        owners: Sequence[Reference] = metadata.get("ownerReferences") or ()
        if node is None:
            node = Node(Identity.of(resource, new), owners)
            self.graph.put(node)
            self._link(node, owners)
            node.deleting_dependents = _waits_with(metadata, FOREGROUND)
        else:
            if node.virtual:
                node = self._confirmed(node, Identity.of(resource, new))
            if owners != node.owners:
                self._change_owners(node, owners)
        if "deletionTimestamp" in metadata:
            node.being_deleted = True
            self._begin_deletion(node, old.document["metadata"] if old else {}, metadata)

    def _begin_deletion(self, node: Node, old: dict[str, Any], new: dict[str, Any]) -> None:
        if _waits_with(new, ORPHAN) and not _waits_with(old, ORPHAN):
            self._orphan(node)
        elif _waits_with(new, FOREGROUND) and not _waits_with(old, FOREGROUND):
            node.deleting_dependents = True
            for dependent in node.dependents:
                self._delete(dependent)
            self._delete(node)

    def _confirmed(self, node: Node, identity: Identity) -> Node:
        """Mark the graph node `node` as existing, after a watch event about the object `identity`; return the node.

        Dependents whose owner references name another kind, name or namespace for the same uid are queued, because
        their owner may not exist.
        """
        if not node.virtual:
            return node
        if node.identity != identity:
            for dependent in node.dependents_by_reference(identity)[1]:
                if identity.namespace not in ("", dependent.identity.namespace):
                    self._complain_of(dependent, identity.uid)
                self._delete(dependent)
            node = node.with_identity(identity)
            self.graph.put(node)
        node.virtual = False
        return node

    def _change_owners(self, node: Node, owners: Sequence[Reference]) -> None:
        before = {reference["uid"]: reference for reference in node.owners}
        after = {reference["uid"]: reference for reference in owners}
        for uid, reference in before.items():
            if blocks(reference) and not (uid in after and blocks(after[uid])):
                owner = self.graph.get(uid)
                if owner is not None:
                    self._delete(owner)
        node.owners = owners
        self._link(node, [reference for uid, reference in after.items() if uid not in before])
        self.graph.unlink(node, [reference for uid, reference in before.items() if uid not in after])

    def _link(self, node: Node, owners: Iterable[Reference]) -> None:
        """Add a graph node to its owners' sets of dependents.

        An owner that is not in the graph gets a virtual node.
        """
        doubtful = False
        for reference in owners:
            owner = self.graph.get(reference["uid"])
            if owner is None:
                owner = Node(Identity.referred_to(reference, node.identity.namespace), virtual=True)
                self.graph.put(owner)
                self._delete(owner)
            elif not doubtful and _is_doubtful(reference, owner, node.identity.namespace):
                doubtful = True
                if not owner.virtual and owner.identity.namespace not in ("", node.identity.namespace):
                    self._complain_of(node, owner.identity.uid)
            owner.dependents[node] = None
        if doubtful:
            self._delete(node)

    def _complain_of(self, node: Node, uid: str) -> None:
        reference = next((reference for reference in node.owners if reference["uid"] == uid), None)
        if reference is not None:
            self._complain(node, Identity.referred_to(reference, node.identity.namespace))

    def _remove(self, node: Node, identity: Identity) -> None:
        self.graph.remove(node)
        if node.dependents:
            self.absent_owners.add(identity)
        for dependent in node.dependents:
            self._delete(dependent)
        for reference in node.owners:
            owner = self.graph.get(reference["uid"])
            if owner is not None and owner.deleting_dependents:
                self._delete(owner)

    def _give_up(self, absent: Identity, dependents: Sequence[Node]) -> None:
        if dependents:
            self.absent_owners.add(absent)
        for dependent in dependents:
            self._delete(dependent)

    def _try_alternative(self, node: Node, absent: Identity, dependents: Sequence[Node]) -> None:
        other = alternative(dependents, absent) if node.identity == absent else None
        if other is not None:
            node = node.with_identity(other)
            self.graph.put(node)
            self._delete_later(node)


def _waits_with(metadata: dict[str, Any], finalizer: str) -> bool:
    return "deletionTimestamp" in metadata and finalizer in metadata.get("finalizers", ())


def _is_doubtful(reference: Reference, owner: Node, namespace: str) -> bool:
    """True if an owner reference and the graph node with its uid differ in kind, name or namespace."""
    if not owner.identity.is_referenced_by(reference):
        return True
    # A virtual node is known only from owner references. If a cluster-scoped dependent has the reference, the node has
    # an empty namespace, although the owner may have one. So an empty namespace means "cluster-scoped" only if the node
    # is not virtual; such an owner may have dependents in every namespace.
    return owner.identity.namespace != namespace and (owner.virtual or owner.identity.namespace != "")
