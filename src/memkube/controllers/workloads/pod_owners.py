"""Owners of pods, such as ReplicaSets, with their pods, and the work queue of owners to be reconciled."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

from memkube.apimachinery import labels
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import USUAL_RETRIES, Retries
from memkube.controllers.workloads.owners import OwnedObjects, controller_reference, controller_uid
from memkube.controllers.workloads.pod_control import PODS, Expectations
from memkube.controllers.workloads.pod_state import is_terminating
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

_BATCH_SECONDS: Final = 0.1
_MAX_YIELDS: Final = 64
"""Maximum number of turns of the event loop for which an owner's reconciliation waits while other tasks have work."""
Key: TypeAlias = tuple[str, str]
"""Namespace and name of an owner of pods."""


def by_selector(document: Document) -> LabelSelector:
    """Parse the label selector in an owner's ``spec.selector``. Raises ValueError if it is invalid."""
    selector = document["spec"].get("selector")
    return labels.from_model(None if selector is None else LabelSelectorModel.from_document(selector))


@dataclass(frozen=True, slots=True)
class OwnerKind:
    """A kind whose objects control pods, such as ReplicaSet."""

    resource: ResourceName
    kind: str
    selector: Callable[[Document], LabelSelector] = by_selector
    """Function that returns the label selector of an owner's pods.

    It raises ValueError if the selector is invalid.
    """
    batches_from: int | None = None
    """Minimum number of pods of an owner that is reconciled only once for all events in a tenth of a second.

    If None, an owner is reconciled as soon as possible after each event, regardless of the number of its pods.
    """
    retries: Retries = USUAL_RETRIES
    """Delays before an owner is reconciled again after an error."""


class PodOwners:
    """The owners of one kind, their pods, and the watch events that are expected about these pods.

    `sync` is called with an owner's key after a change of the owner, of a pod that it controls, or of the labels of an
    orphaned pod that it selects.
    """

    def __init__(self, runtime: Runtime, kind: OwnerKind, sync: Callable[[Key], Awaitable[None]]) -> None:
        self._runtime = runtime
        self._kind = kind
        self.queue = runtime.queue(kind.kind, sync, max_yields=_MAX_YIELDS, retries=kind.retries)
        self.expected: Expectations[Key] = Expectations(runtime.clock)
        self._owners = runtime.informers.of(*kind.resource)
        self._pods = runtime.informers.of(*PODS)
        self._owned = OwnedObjects(self._pods)
        self._siblings = OwnedObjects(self._owners)
        self._selectors: dict[str, dict[str, LabelSelector]] = {}
        self._owners.subscribe(self._on_owner)
        self._pods.subscribe(self._on_pod)

    @property
    def resource(self) -> Resource | None:
        """Resource of the owners' kind, or None if it is not served."""
        return self._runtime.catalog.find(*self._kind.resource)

    def get(self, key: Key) -> StoredObject | None:
        """Return the owner with this key, or None if it does not exist."""
        return self._owners.get(*key)

    def pods_of(self, owner: StoredObject) -> list[StoredObject]:
        """Return the pods that the owner controls."""
        return self._owned.of(owner.uid)

    def related_pods(self, owner: StoredObject) -> list[StoredObject]:
        """Return the pods of all owners that have the same controller as this owner; empty without a controller."""
        uid = controller_uid(owner)
        selectors = [self.selector(sibling) for sibling in self._siblings.of(uid)] if uid else []
        if not selectors:
            return []
        pods = self._pods.in_namespace(owner.namespace).values()
        return [pod for pod in pods if any(selector.matches(pod.labels) for selector in selectors)]

    def candidates(self, owner: StoredObject) -> list[StoredObject]:
        """Return the pods that an owner controls, and the orphaned pods in its namespace."""
        return [*self._owned.of(owner.uid), *self._owned.orphans(owner.namespace)]

    def selector(self, owner: StoredObject) -> LabelSelector:
        """Return the pod selector of an owner. An invalid selector selects nothing."""
        try:
            return self._kind.selector(owner.document)
        except ValueError:
            return LabelSelector.nothing()

    def must_wait(self, key: Key) -> bool:
        """True if the owner must wait for watch events about its own writes.

        In that case, the owner is queued again for the time at which this wait times out.
        """
        wait = self.expected.seconds_left(key)
        if wait > 0:
            self.queue.add_after(key, wait)
            return True
        self.expected.forget(key)
        return False

    def expect_creation(self, key: Key, pod: StoredObject) -> None:
        """Record that an owner has created a pod. The owner then waits until the informer has reported the pod."""
        if self._pods.get(pod.namespace, pod.name) is None:
            self.expected.created(key, pod.uid)

    @contextmanager
    def deleting(self, key: Key, pod: StoredObject) -> Iterator[None]:
        """Return a context manager for the deletion of a pod, whose watch event is expected from then on.

        If the block raises ApiError, the event is not expected.
        """
        self.expected.deleting(key, pod.uid)
        try:
            yield
        except ApiError:
            self.expected.observed(key, pod.uid, gone=True)
            raise
        known = self._pods.get(pod.namespace, pod.name)
        if known is None or known.uid != pod.uid or is_terminating(known):
            self.expected.observed(key, pod.uid, gone=True)

    def queue_owner(self, owned: StoredObject) -> None:
        """Queue the controlling owner of an object, if that owner is of the kind that this instance manages."""
        if (key := self._owner_of(owned)) is not None:
            self.queue.add(key)

    def queue_selecting(self, orphan: StoredObject) -> None:
        """Queue the owners whose selector matches an orphaned object."""
        for name, selector in self._selectors.get(orphan.namespace, {}).items():
            if selector.matches(orphan.labels):
                self.queue.add((orphan.namespace, name))

    def _on_owner(self, old: StoredObject | None, new: StoredObject | None) -> None:
        known = new or old
        assert known is not None
        key = known.namespace, known.name
        if new is None:
            self._selectors.get(known.namespace, {}).pop(known.name, None)
            self.expected.forget(key)
        else:
            self._selectors.setdefault(new.namespace, {})[new.name] = self.selector(new)
            if old is not None and _generation(old) == _generation(new):
                self.queue.add_for_event(key)
            else:
                self.queue.add(key)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        assert pod is not None
        before, now = controller_uid(old), controller_uid(pod)
        if old is not None and before != now:
            self._wake(old, gone=False)
        if now:
            self._wake(pod, gone=new is None or is_terminating(pod))
        elif new is not None and (old is None or before or old.labels != new.labels):
            self.queue_selecting(new)

    def _wake(self, pod: StoredObject, *, gone: bool) -> None:
        """Queue the owner of a changed pod, and record that the informer has reported the pod.

        `gone` is True if the pod is terminating or deleted.
        """
        if (key := self._owner_of(pod)) is not None:
            self.expected.observed(key, pod.uid, gone=gone)
            if self._batches(controller_uid(pod)):
                self.queue.add_after(key, _BATCH_SECONDS)
            else:
                self.queue.add_for_event(key)

    def _batches(self, uid: str) -> bool:
        return self._kind.batches_from is not None and self._owned.count(uid) >= self._kind.batches_from

    def _owner_of(self, owned: StoredObject) -> Key | None:
        reference = controller_reference(owned.document)
        if reference is None or reference["kind"] != self._kind.kind:
            return None
        owner = self._owners.get(owned.namespace, reference["name"])
        return (owner.namespace, owner.name) if owner is not None and owner.uid == reference["uid"] else None


def _generation(stored: StoredObject) -> int:
    generation: int = stored.document["metadata"].get("generation", 0)
    return generation
