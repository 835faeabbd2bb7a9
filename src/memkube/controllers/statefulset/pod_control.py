"""Pods of StatefulSets: their identity, and how they are made, set right and deleted (``stateful_pod_control.go``)."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.event_recorder import EventRecorder, Report
from memkube.controllers.runtime import Runtime
from memkube.controllers.workloads.pod_control import PODS, pod_of
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject

POD_NAME: Final = "statefulset.kubernetes.io/pod-name"
POD_INDEX: Final = "apps.kubernetes.io/pod-index"
REVISION: Final = "controller-revision-hash"
_INT32: Final = 2**31
_numbered = re.compile(r"(.*)-([0-9]+)", re.DOTALL).fullmatch
_NOT_SERVED: Final = "the server could not find the requested resource (post persistentvolumeclaims)"


def ordinal_of(pod: StoredObject) -> int:
    """The number at the end of a pod's name; -1 where there is none."""
    found = _numbered(pod.name)
    number = int(found[2]) if found else -1
    return number if number < _INT32 else -1


def is_member(pod: StoredObject, stateful_set: StoredObject) -> bool:
    """Whether a pod has a name that the set would give."""
    found = _numbered(pod.name)
    return found is not None and found[1] == stateful_set.name


def has_identity(pod: StoredObject, stateful_set: StoredObject) -> bool:
    """Whether a pod is labelled as what it is. One with zeros before its number never is."""
    return pod.name == f"{stateful_set.name}-{ordinal_of(pod)}" and pod.labels.get(POD_NAME) == pod.name


def identify(pod: Pod, ordinal: int) -> None:
    """Labels a pod as what it is."""
    pod.metadata.labels |= {POD_NAME: pod.metadata.name, POD_INDEX: str(ordinal)}


def revision_of(pod: StoredObject) -> str:
    """The name of the revision that a pod is made from."""
    return pod.labels.get(REVISION, "")


def new_pod(stateful_set: StoredObject, resource: Resource, template: Document, ordinal: int, revision: str) -> Pod:
    """The pod of a template with this number."""
    pod = pod_of(template, stateful_set, resource)
    pod.metadata.name = f"{stateful_set.name}-{ordinal}"
    identify(pod, ordinal)
    pod.metadata.labels[REVISION] = revision
    pod.spec.hostname = pod.metadata.name
    pod.spec.subdomain = stateful_set.document["spec"].get("serviceName", "")
    return pod


class ClaimsNotServed(Exception):
    """A pod is to have claims of its own, which nobody can make: PersistentVolumeClaims are not served."""


class StatefulPodControl:
    """Writes to the pods of one StatefulSet. Every write leaves a turn to others."""

    def __init__(self, runtime: Runtime, events: EventRecorder, stateful_set: StoredObject) -> None:
        self._runtime = runtime
        self._events = events
        self._set = stateful_set

    @property
    def pods(self) -> Resource:
        """Pods, as they are served."""
        return self._runtime.registry.find(*PODS).resource

    async def create(self, pod: Pod) -> StoredObject:
        """Creates a pod. Raises ApiError, and ClaimsNotServed where it needs claims."""
        await asyncio.sleep(0)
        name = pod.metadata.name
        templates = self._set.document["spec"].get("volumeClaimTemplates") or []
        if templates:
            await self._refuse(name, [f"{template['metadata']['name']}-{name}" for template in templates])
        try:
            created = await self._runtime.client.create(self.pods, pod, self._set.namespace)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                await self._report_failure("Create", name, error.message)
            raise
        await self._report("Create", name)
        return created

    async def set_right(self, pod: StoredObject) -> None:
        """Labels a pod as what it is. Raises ApiError."""

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            identify(obj, ordinal_of(pod))

        try:
            await self._runtime.client.update(self.pods, pod, change)
        except ApiError as error:
            await self._report_failure("Update", pod.name, error.message)
            raise
        await self._report("Update", pod.name)

    async def delete(self, pod: StoredObject) -> None:
        """Deletes a pod; one that is gone already counts as deleted. Raises ApiError."""
        await asyncio.sleep(0)
        try:
            with _ignoring_absence():
                await self._runtime.client.delete(self.pods, pod.namespace, pod.name, DeleteOptions())
        except ApiError as error:
            await self._report_failure("Delete", pod.name, error.message)
            raise
        await self._report("Delete", pod.name)

    async def _refuse(self, pod: str, claims: list[str]) -> NoReturn:
        """What the reference reports of a server that knows no claims."""
        failures = [f"failed to create PVC {claim}: {_NOT_SERVED}" for claim in claims]
        for claim in claims:
            message = f"Create Claim {claim} for Pod {pod} in StatefulSet {self._set.name} failed error: {_NOT_SERVED}"
            await self._events.record(self._set, Report("Warning", "FailedCreate", message))
        await self._report_failure("Create", pod, failures[0] if len(failures) == 1 else f"[{', '.join(failures)}]")
        raise ClaimsNotServed(pod)

    async def _report(self, verb: str, pod: str) -> None:
        message = f"{verb} Pod {pod} in StatefulSet {self._set.name} successful"
        await self._events.record(self._set, Report("Normal", f"Successful{verb}", message))

    async def _report_failure(self, verb: str, pod: str, error: str) -> None:
        message = f"{verb} Pod {pod} in StatefulSet {self._set.name} failed error: {error}"
        await self._events.record(self._set, Report("Warning", f"Failed{verb}", message))


@contextmanager
def _ignoring_absence() -> Iterator[None]:
    try:
        yield
    except ApiError as error:
        if error.reason != "NotFound":
            raise
