"""Creates and deletes pods of an owner, and tracks which watch events about them are expected.

Source: ``controller_utils.go``.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar, cast

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
"""Time after which the wait for an expected watch event is given up."""
_LONGEST_NAME: Final = 253
PODS: Final = ("", "v1", "pods")
_KEPT: Final = ("labels", "annotations", "finalizers")


class Expectations(Generic[K]):
    """The objects that each owner has created or deleted, and whose watch events the informer has not received yet.

    Kubernetes counts creations without uids. Here a write returns the stored object, so that its uid is known at once.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expected: dict[K, tuple[datetime, set[tuple[str, str]]]] = {}

    def created(self, key: K, uid: str) -> None:
        """Expect the informer's event about an object that the owner `key` has created."""
        self._expect(key, ("created", uid))

    def deleting(self, key: K, uid: str) -> None:
        """Expect the informer's event that the object with this uid is terminating or deleted."""
        self._expect(key, ("deleting", uid))

    def observed(self, key: K, uid: str, *, gone: bool) -> None:
        """Record that the informer has reported an object. `gone` is True if the object is terminating or deleted."""
        expected = self._expected.get(key)
        if expected is None:
            return
        expected[1].discard(("created", uid))
        if gone:
            expected[1].discard(("deleting", uid))
        if not expected[1]:
            del self._expected[key]

    def seconds_left(self, key: K) -> float:
        """Return the maximum number of seconds until the owner may count its objects.

        If the result is 0 or less, it may count them now: all expected events have arrived or timed out.
        """
        expected = self._expected.get(key)
        if expected is None:
            return 0
        return (expected[0] + _TIMEOUT - self._clock.now()).total_seconds()

    def forget(self, key: K) -> None:
        """Remove the expected events of an owner, so that it no longer waits for them."""
        self._expected.pop(key, None)

    def _expect(self, key: K, expected: tuple[str, str]) -> None:
        now = self._clock.now()
        _, others = self._expected.get(key, (now, set()))
        self._expected[key] = now, others | {expected}


def pod_of(
    template: Document,
    owner: StoredObject,
    resource: Resource,
    decode: Callable[[Document], Pod] = Pod.from_document,
) -> Pod:
    """Return a new pod that is created from the pod template `template` and controlled by `owner`.

    Its generateName is made from the owner's name. `resource` is the owner's resource, for the owner reference.
    `decode` makes the pod from its JSON data. Use :meth:`PodControl.decode` if the pod's spec is not changed.
    """
    metadata = template.get("metadata", {})
    prefix = f"{owner.name}-" if len(owner.name) < _LONGEST_NAME else owner.name
    kept = {name: metadata[name] for name in _KEPT if metadata.get(name)}
    references = [reference_to(owner, resource)]
    return decode(
        {
            "metadata": {**kept, "generateName": prefix, "ownerReferences": references},
            "spec": template.get("spec", {}),
        }
    )


def is_namespace_terminating(error: ApiError) -> bool:
    """True if the creation of an object was refused because its namespace is terminating."""
    causes = error.details.causes if error.details else ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)


@contextmanager
def ignoring_namespace_termination() -> Iterator[None]:
    """Context manager that suppresses the ApiError of a creation in a terminating namespace."""
    try:
        yield
    except ApiError as error:
        if not is_namespace_terminating(error):
            raise


class PodControl:
    """Creates and deletes pods of the owners of one kind.

    A write in memory does not suspend the task. So after some writes, other tasks are allowed to run.
    """

    def __init__(self, runtime: Runtime, events: EventRecorder) -> None:
        self._runtime = runtime
        self._events = events

    @property
    def pods(self) -> Resource:
        """Resource declaration of pods, for the requests that create and delete them."""
        return self._runtime.registry.find(*PODS).resource

    def decode(self, document: Document) -> Pod:
        """Return a new pod from its JSON data, faster if an earlier pod had an equal spec.

        Results of the earlier pod, such as defaults, are reused. So the caller must not change the pod's spec.
        """
        return cast("Pod", self._runtime.registry.find(*PODS).form.convert(document).value)

    async def create(self, pod: Pod, owner: StoredObject) -> StoredObject:
        """Create a pod and record an Event about its owner. Raises ApiError if the creation fails."""
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
        """Delete a pod and record an Event about its owner.

        Raises ApiError if that fails: 404 if the pod does not exist.
        """
        await asyncio.sleep(0)
        try:
            await self._runtime.client.delete(self.pods, pod.namespace, pod.name, DeleteOptions())
        except ApiError as error:
            if error.reason != "NotFound":
                await self._events.record(owner, Report("Warning", "FailedDelete", f"Error deleting: {error.message}"))
            raise
        await self._events.record(owner, Report("Normal", "SuccessfulDelete", f"Deleted pod: {pod.name}"))
