"""Pods of StatefulSets: identity, creation, repair and deletion (``stateful_pod_control.go``)."""

import asyncio
import re
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.statefulset.claims import ClaimControl, Owner, claims_of, has_storage, with_storage
from memkube.controllers.workloads.pod_control import PODS, pod_of
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

POD_NAME: Final = "statefulset.kubernetes.io/pod-name"
POD_INDEX: Final = "apps.kubernetes.io/pod-index"
REVISION: Final = "controller-revision-hash"
_INT32: Final = 2**31
_numbered = re.compile(r"(.*)-([0-9]+)", re.DOTALL).fullmatch


def ordinal_of(pod: StoredObject) -> int:
    """Return the ordinal at the end of a pod's name, or -1 if the name has none."""
    found = _numbered(pod.name)
    number = int(found[2]) if found else -1
    return number if number < _INT32 else -1


def is_member(pod: StoredObject, stateful_set: StoredObject) -> bool:
    """True if a pod's name has the form of a StatefulSet's pod names."""
    found = _numbered(pod.name)
    return found is not None and found[1] == stateful_set.name


def has_identity(pod: StoredObject, stateful_set: StoredObject) -> bool:
    """True if a pod has the name and the pod name label of its ordinal.

    The result is False if the ordinal in the name has leading zeros.
    """
    return pod.name == f"{stateful_set.name}-{ordinal_of(pod)}" and pod.labels.get(POD_NAME) == pod.name


def add_storage(pod: Pod, stateful_set: StoredObject, ordinal: int) -> None:
    """Add a volume for each claim template of a StatefulSet to its pod with this ordinal."""
    claims = claims_of(stateful_set.document, ordinal)
    if claims:
        volumes = with_storage([volume.to_document() for volume in pod.spec.volumes], claims)
        pod.spec.volumes = [Volume.from_document(volume) for volume in volumes]


def identify(pod: Pod, ordinal: int) -> None:
    """Set the labels with a pod's name and ordinal, which identify it in its StatefulSet."""
    pod.metadata.labels |= {POD_NAME: pod.metadata.name, POD_INDEX: str(ordinal)}


def revision_of(pod: StoredObject) -> str:
    """Return the name of the ControllerRevision that a pod was created from, according to its label."""
    return pod.labels.get(REVISION, "")


def new_pod(stateful_set: StoredObject, resource: Resource, template: Document, ordinal: int, revision: str) -> Pod:
    """Return a new pod of a StatefulSet with this ordinal, from a pod template.

    `revision` is the name of the template's ControllerRevision, for a label, and `resource` the resource of
    StatefulSets, for the owner reference.
    """
    pod = pod_of(template, stateful_set, resource)
    pod.metadata.name = f"{stateful_set.name}-{ordinal}"
    identify(pod, ordinal)
    pod.metadata.labels[REVISION] = revision
    pod.spec.hostname = pod.metadata.name
    pod.spec.subdomain = stateful_set.document["spec"].get("serviceName", "")
    add_storage(pod, stateful_set, ordinal)
    return pod


class StatefulPodControl:
    """Creates, repairs and deletes the pods of one StatefulSet, and lets other tasks run after each write."""

    def __init__(self, runtime: Runtime, events: EventRecorder, stateful_set: StoredObject, owners: Resource) -> None:
        self._runtime = runtime
        self._events = events
        self._set = stateful_set
        self._claims = ClaimControl(runtime, events, stateful_set, owners)

    @property
    def pods(self) -> Resource:
        """Resource declaration of pods, for the requests that create and delete them."""
        return self._runtime.registry.find(*PODS).resource

    async def must_wait(self, pod: Pod, ordinal: int) -> bool:
        """True if the pod cannot be created yet, because claims of an earlier pod of this name are being deleted.

        Raises ApiError if the claims cannot be read.
        """
        return await self._claims.are_stale(pod.metadata.name, ordinal)

    async def create(self, pod: Pod, ordinal: int) -> StoredObject:
        """Create the claims that a pod lacks, and then the pod. Raises ApiError if a request fails."""
        await asyncio.sleep(0)
        name = pod.metadata.name
        try:
            await self._claims.create_missing(name, ordinal)
        except ApiError as error:
            await self._report_failure("Create", name, error.message)
            raise
        try:
            created = await self._runtime.client.create(self.pods, pod, self._set.namespace)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                await self._keep_claims(Owner("v1", "Pod", name, ""), ordinal)
                await self._report_failure("Create", name, error.message)
            raise
        await self.keep_claims(created)
        await self._report("Create", name)
        return created

    async def complete_claims(self, pod: StoredObject) -> None:
        """Create the claims that an existing pod lacks. Raises ApiError if a request fails."""
        await self._claims.create_missing(pod.name, ordinal_of(pod))
        await self.keep_claims(pod)

    async def are_claims_kept(self, pod: StoredObject) -> bool:
        """True if a pod's claims have the owner references that the retention policy requires.

        Raises ApiError if the claims cannot be read.
        """
        return await self._claims.are_kept(pod, ordinal_of(pod))

    async def keep_claims(self, pod: StoredObject) -> None:
        """Set the owner references of a pod's claims as the retention policy requires.

        Raises ApiError if that fails.
        """
        await self._keep_claims(Owner.of_pod(pod), ordinal_of(pod))

    async def _keep_claims(self, pod: Owner, ordinal: int) -> None:
        try:
            await self._claims.keep(pod, ordinal)
        except ApiError as error:
            await self._report_failure("Update", pod.name, error.message)
            raise

    async def has_identity_and_claims(self, pod: StoredObject) -> bool:
        """True if a pod has its identity labels and its volumes, and its claims have the required owner references."""
        if not has_identity(pod, self._set) or not has_storage(pod.document, self._claims.of(ordinal_of(pod))):
            return False
        try:
            return await self.are_claims_kept(pod)
        except ApiError:
            return True  # The claims cannot be read now, so the next reconciliation must check them.

    async def repair(self, pod: StoredObject) -> None:
        """Restore a pod's identity labels, volumes, and claims with their owner references.

        Raises ApiError if a write fails.
        """
        ordinal = ordinal_of(pod)
        lacks_storage = not has_storage(pod.document, self._claims.of(ordinal))

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            identify(obj, ordinal)
            if lacks_storage:
                add_storage(obj, self._set, ordinal)

        try:
            if lacks_storage:
                await self._claims.create_missing(pod.name, ordinal)
            await self._claims.keep(Owner.of_pod(pod), ordinal)
            await self._runtime.client.update(self.pods, pod, change)
        except ApiError as error:
            await self._report_failure("Update", pod.name, error.message)
            raise
        await self._report("Update", pod.name)

    async def delete(self, pod: StoredObject) -> None:
        """Delete a pod, if it exists. Raises ApiError if the deletion fails."""
        await asyncio.sleep(0)
        try:
            with ignoring_absence():
                await self._runtime.client.delete(self.pods, pod.namespace, pod.name, DeleteOptions())
        except ApiError as error:
            await self._report_failure("Delete", pod.name, error.message)
            raise
        await self._report("Delete", pod.name)

    async def _report(self, verb: str, pod: str) -> None:
        message = f"{verb} Pod {pod} in StatefulSet {self._set.name} successful"
        await self._events.record(self._set, Report("Normal", f"Successful{verb}", message))

    async def _report_failure(self, verb: str, pod: str, error: str) -> None:
        message = f"{verb} Pod {pod} in StatefulSet {self._set.name} failed error: {error}"
        await self._events.record(self._set, Report("Warning", f"Failed{verb}", message))
