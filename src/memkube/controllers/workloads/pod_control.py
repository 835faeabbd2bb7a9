"""Creates and deletes pods of an owner, and tracks the watch events to expect (``controller_utils.go``)."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.owners import reference_to
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import Clock

K = TypeVar("K")
_TIMEOUT: Final = timedelta(minutes=5)
"""Time after which an expected watch event counts as missed."""
_LONGEST_NAME: Final = 253
PODS: Final = ("", "v1", "pods")
_KEPT: Final = ("labels", "annotations", "finalizers")


class Expectations(Generic[K]):
    """Objects that each owner has created or deleted, by uid, until the informer has reported the change.

    Kubernetes counts creations without uids. Here a write returns the stored object, so that its uid is known at once.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expected: dict[K, tuple[datetime, set[tuple[str, str]]]] = {}

    def created(self, key: K, uid: str) -> None:
        """Expect that the informer reports the object with this uid, which the owner `key` has created."""
        self._expect(key, ("created", uid))

    def deleting(self, key: K, uid: str) -> None:
        """Expect that the informer reports the object with this uid as terminating or deleted."""
        self._expect(key, ("deleting", uid))

    def saw(self, key: K, uid: str, *, gone: bool) -> None:
        """Record that the informer has reported an object. `gone` is True if the object is deleted or terminating."""
        expected = self._expected.get(key)
        if expected is None:
            return
        expected[1].discard(("created", uid))
        if gone:
            expected[1].discard(("deleting", uid))
        if not expected[1]:
            del self._expected[key]

    def seconds_left(self, key: K) -> float:
        """Return the maximum seconds until the owner may count its objects; 0 or less if it may count them now."""
        expected = self._expected.get(key)
        if expected is None:
            return 0
        return (expected[0] + _TIMEOUT - self._clock.now()).total_seconds()

    def forget(self, key: K) -> None:
        """Remove all expectations of an owner, so that it no longer waits for events."""
        self._expected.pop(key, None)

    def _expect(self, key: K, expected: tuple[str, str]) -> None:
        now = self._clock.now()
        _, others = self._expected.get(key, (now, set()))
        self._expected[key] = now, others | {expected}


def pod_of(template: Document, owner: StoredObject, resource: Resource) -> Pod:
    """Return a pod from a template. The pod is controlled by `owner`, and its name begins with the owner's name."""
    metadata = template.get("metadata", {})
    prefix = f"{owner.name}-" if len(owner.name) < _LONGEST_NAME else owner.name
    kept = {name: metadata[name] for name in _KEPT if metadata.get(name)}
    references = [reference_to(owner, resource)]
    return Pod.from_document(
        {
            "metadata": {**kept, "generateName": prefix, "ownerReferences": references},
            "spec": template.get("spec", {}),
        }
    )


def is_namespace_terminating(error: ApiError) -> bool:
    """True if a creation was refused because its namespace is terminating."""
    causes = error.details.causes if error.details else ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)


@contextmanager
def ignoring_namespace_termination() -> Iterator[None]:
    """Context manager that ignores the error of a creation in a terminating namespace, where all creations fail."""
    try:
        yield
    except ApiError as error:
        if not is_namespace_terminating(error):
            raise


class PodControl:
    """Creates and deletes the pods of owners of one resource.

    After each of many writes it yields to the event loop, because a write in memory does not suspend by itself.
    """

    def __init__(self, runtime: Runtime, events: EventRecorder) -> None:
        self._runtime = runtime
        self._events = events

    @property
    def pods(self) -> Resource:
        """The resource of pods, for requests."""
        return self._runtime.registry.find(*PODS).resource

    async def create(self, pod: Pod, owner: StoredObject) -> StoredObject:
        """Create a pod. Raises ApiError if that fails."""
        await asyncio.sleep(0)
        try:
            created = await self._runtime.client.create(self.pods, pod, owner.namespace)
        except ApiError as error:
            if not is_namespace_terminating(error):
                await self._events.record(owner, Report("Warning", "FailedCreate", f"Error creating: {error.message}"))
            raise
        await self._events.record(owner, Report("Normal", "SuccessfulCreate", f"Created pod: {created.name}"))
        return created

    async def delete(self, pod: StoredObject, owner: StoredObject) -> None:
        """Delete a pod. Raises ApiError if that fails, NotFound if the pod does not exist."""
        await asyncio.sleep(0)
        try:
            await self._runtime.client.delete(self.pods, pod.namespace, pod.name, DeleteOptions())
        except ApiError as error:
            if error.reason != "NotFound":
                await self._events.record(owner, Report("Warning", "FailedDelete", f"Error deleting: {error.message}"))
            raise
        await self._events.record(owner, Report("Normal", "SuccessfulDelete", f"Deleted pod: {pod.name}"))
