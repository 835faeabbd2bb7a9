"""Pods made from templates and deleted in the name of an owner, and what comes of that (``controller_utils.go``)."""

import asyncio
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
"""After this long what was expected has been missed, and counting goes on."""
PODS: Final = ("", "v1", "pods")
_KEPT: Final = ("labels", "annotations", "finalizers")


class Expectations(Generic[K]):
    """The objects that each key's owner created or deleted, by uid, until the informer tells of it.

    Unlike the reference's, which count creations, these know every object, because writes answer at once here.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expected: dict[K, tuple[datetime, set[tuple[str, str]]]] = {}

    def created(self, key: K, uid: str) -> None:
        """An object will show up."""
        self._expect(key, ("created", uid))

    def deleting(self, key: K, uid: str) -> None:
        """An object will be seen terminating, or go."""
        self._expect(key, ("deleting", uid))

    def saw(self, key: K, uid: str, *, gone: bool) -> None:
        """The informer told of an object; `gone` says that it is, or terminates."""
        expected = self._expected.get(key)
        if expected is None:
            return
        expected[1].discard(("created", uid))
        if gone:
            expected[1].discard(("deleting", uid))
        if not expected[1]:
            del self._expected[key]

    def seconds_left(self, key: K) -> float:
        """How long to wait at most until the key's owner may count; zero or less where it may do so now."""
        expected = self._expected.get(key)
        if expected is None:
            return 0
        return (expected[0] + _TIMEOUT - self._clock.now()).total_seconds()

    def forget(self, key: K) -> None:
        """Nothing is expected for a key any more."""
        self._expected.pop(key, None)

    def _expect(self, key: K, expected: tuple[str, str]) -> None:
        now = self._clock.now()
        _, others = self._expected.get(key, (now, set()))
        self._expected[key] = now, others | {expected}


def pod_of(template: Document, owner: StoredObject, resource: Resource) -> Pod:
    """A pod of a template that `owner` controls; its name begins with the owner's."""
    metadata = template.get("metadata", {})
    kept = {name: metadata[name] for name in _KEPT if metadata.get(name)}
    references = [reference_to(owner, resource)]
    return Pod.from_document(
        {
            "metadata": {**kept, "generateName": f"{owner.name}-", "ownerReferences": references},
            "spec": template.get("spec", {}),
        }
    )


def is_namespace_leaving(error: ApiError) -> bool:
    """Whether a creation was refused because its namespace is on its way out."""
    causes = error.details.causes if error.details else ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)


class PodControl:
    """Creates and deletes the pods of owners of one resource.

    Whoever creates or deletes many leaves turns to others in between: nothing in a write need ever have waited.
    """

    def __init__(self, runtime: Runtime, events: EventRecorder) -> None:
        self._runtime = runtime
        self._events = events

    @property
    def pods(self) -> Resource:
        """Pods, as they are served."""
        return self._runtime.registry.find(*PODS).resource

    async def create(self, pod: Pod, owner: StoredObject) -> StoredObject:
        """Creates a pod. Raises ApiError."""
        await asyncio.sleep(0)
        try:
            created = await self._runtime.client.create(self.pods, pod, owner.namespace)
        except ApiError as error:
            if not is_namespace_leaving(error):
                await self._events.record(owner, Report("Warning", "FailedCreate", f"Error creating: {error.message}"))
            raise
        await self._events.record(owner, Report("Normal", "SuccessfulCreate", f"Created pod: {created.name}"))
        return created

    async def delete(self, pod: StoredObject, owner: StoredObject) -> None:
        """Deletes a pod. Raises ApiError, NotFound where it is gone already."""
        await asyncio.sleep(0)
        try:
            await self._runtime.client.delete(self.pods, pod.namespace, pod.name, DeleteOptions())
        except ApiError as error:
            if error.reason != "NotFound":
                await self._events.record(owner, Report("Warning", "FailedDelete", f"Error deleting: {error.message}"))
            raise
        await self._events.record(owner, Report("Normal", "SuccessfulDelete", f"Deleted pod: {pod.name}"))
