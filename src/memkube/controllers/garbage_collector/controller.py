"""The garbage collector: deletes objects whose owners no longer exist (``garbagecollector.go``)."""

from typing import Final, NamedTuple

from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.garbage_collector.graph import Identity, Node, Reference
from memkube.controllers.garbage_collector.graph_builder import GraphBuilder
from memkube.controllers.garbage_collector.operations import NamespacedOwner, Operations, Policy, wrong_namespace
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.writes.deletion import FOREGROUND, ORPHAN

_VERBS: Final = frozenset({"delete", "list", "watch"})
_IGNORED: Final = "events"


class _Owners(NamedTuple):
    """The owner references of an object, grouped by the state of the owners."""

    solid: list[str]
    dangling: list[str]
    waiting: list[str]
    """References to owners that exist and are being deleted in the foreground."""


class GarbageCollector:
    """Watches every resource, deletes objects whose owners are all gone, and completes foreground deletions."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._operations = Operations(runtime)
        self._deletions = runtime.queue("garbage collector", self._look_at)
        self._orphanings = runtime.queue("garbage collector, orphans", self._orphan_dependents)
        self._events = EventRecorder(runtime, "garbage-collector-controller")
        self._complaints = runtime.queue("garbage collector, complaints", self._report_wrong_namespace)
        self._builder = GraphBuilder(
            self._deletions.add,
            self._deletions.retry,
            self._orphanings.add,
            lambda dependent, owner: self._complaints.add((dependent.identity, owner)),
        )
        self._followed: dict[tuple[str, str], Resource] = {}
        """Watched resources by group and plural, because all versions of a kind share their objects."""
        runtime.closing.append(runtime.catalog.on_change(self._follow_resources))
        self._follow_resources()

    def _follow_resources(self) -> None:
        for resource in list(self._runtime.catalog):
            name = (resource.group, resource.plural)
            known = self._followed.get(name)
            is_followed = known is not None and self._runtime.catalog.find(known.group, known.version, known.plural)
            if is_followed or resource.plural == _IGNORED or not _VERBS.issubset(resource.verbs):
                continue
            self._followed[name] = resource
            informer = self._runtime.informers.of(*ResourceName.of(resource))
            informer.subscribe(self._builder.handler(resource))

    async def _report_wrong_namespace(self, key: tuple[Identity, Identity]) -> None:
        dependent, owner = key
        await self._events.record(dependent.reference(), wrong_namespace(owner))

    async def _look_at(self, node: Node) -> None:
        if node.virtual:
            known = self._builder.graph.get(node.identity.uid)
            if known is None or not known.virtual:
                return
        try:
            if await self._collect(node) and node.virtual:
                # The owner exists, but its informer has not reported it yet. Retry, so that a deletion of the owner in
                # the meantime is not missed.
                raise TryAgain
        except NamespacedOwner:
            return

    async def _collect(self, node: Node) -> bool:
        """Process one object: delete it, or remove absent owners or the foreground finalizer from it.

        Returns False if the object does not exist.
        """
        if node.being_deleted and not node.deleting_dependents:
            return True
        latest = await self._operations.get(node.identity)
        if latest is None or latest.uid != node.identity.uid:
            self._builder.observe_absence(node.identity)
            return False
        if node.deleting_dependents:
            await self._free(node)
            return True
        references = latest.document["metadata"].get("ownerReferences") or []
        if not references:
            return True
        owners = await self._classify(node, references)
        if owners.solid:
            if gone := owners.dangling + owners.waiting:
                await self._operations.remove_owners(latest, node.identity, gone)
            return True
        return await self._delete(node, latest, owners)

    async def _delete(self, node: Node, latest: StoredObject, owners: _Owners) -> bool:
        """Delete the object of a graph node, because none of its owners keeps it. Returns False if it no longer exists.

        `latest` is the newest revision of the object. `owners` has its owner references, grouped by the state of the
        owners. If an owner is being deleted in the foreground and the object has dependents, the object is deleted in
        the foreground too. Otherwise, the object's finalizers determine the propagation policy.
        """
        policy = _policy_of(latest)
        if owners.waiting and node.dependents:
            if any(dependent.deleting_dependents for dependent in node.dependents):
                # The owner and the object may wait for each other's deletion forever. To prevent that, let the object
                # no longer block the deletion of its owners.
                await self._operations.unblock_owners(latest, node.identity)
                latest = await self._operations.get(node.identity) or latest
            policy = "Foreground"
        deleted = await self._operations.delete(node.identity, latest, policy)
        if not deleted:
            self._builder.observe_absence(node.identity)
        return deleted

    async def _free(self, node: Node) -> None:
        """Complete the foreground deletion of an object.

        If no dependents block the deletion, the foreground finalizer is removed. Otherwise these dependents are queued.
        """
        blocking = node.blocking_dependents()
        if not blocking:
            await self._operations.remove_finalizer(node.identity, FOREGROUND)
        for dependent in blocking:
            if not dependent.deleting_dependents:
                self._deletions.add(dependent)

    async def _orphan_dependents(self, node: Node) -> None:
        for dependent in list(node.dependents):
            current = await self._operations.get(dependent.identity)
            if current is not None and current.uid == dependent.identity.uid:
                await self._operations.remove_owners(current, dependent.identity, [node.identity.uid])
        await self._operations.remove_finalizer(node.identity, ORPHAN)

    async def _classify(self, node: Node, references: list[Reference]) -> _Owners:
        owners = _Owners([], [], [])
        for reference in references:
            owner = await self._owner(node, reference)
            if owner is None:
                owners.dangling.append(reference["uid"])
            elif "deletionTimestamp" in owner.document["metadata"] and FOREGROUND in _finalizers(owner):
                owners.waiting.append(reference["uid"])
            else:
                owners.solid.append(reference["uid"])
        return owners

    async def _owner(self, node: Node, reference: Reference) -> StoredObject | None:
        """Return the owner that an owner reference names, or None if the owner does not exist.

        Raises TryAgain if the owner's kind is not served now. Raises NamespacedOwner if a cluster-scoped object names a
        namespaced owner.
        """
        absent = self._builder.absent_owners
        identity = Identity.referred_to(reference, node.identity.namespace)
        if identity in absent or identity._replace(namespace="") in absent:
            return None
        resource = self._operations.resource(identity.api_version, identity.kind)
        if not resource.namespaced:
            identity = identity._replace(namespace="")
        owner = await self._operations.get(identity)
        if owner is None or owner.uid != identity.uid:
            absent.add(identity)
            return None
        return owner


def _policy_of(stored: StoredObject) -> Policy:
    finalizers = _finalizers(stored)
    if ORPHAN in finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in finalizers else "Background"


def _finalizers(stored: StoredObject) -> list[str]:
    finalizers: list[str] = stored.document["metadata"].get("finalizers", [])
    return finalizers
