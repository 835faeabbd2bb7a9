"""Creates the ResourceClaims of pods, and ends their reservation for ended pods (``controller/resourceclaim``)."""

from collections import OrderedDict, deque
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.resource.v1.resourceclaims.status_types import ResourceClaimConsumerReference
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaim
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.known_objects import KnownObjects
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.resource_claims.pod_claims import (
    CLAIMS,
    FINALIZER,
    TEMPLATES,
    NotCreated,
    PodsByResourceClaim,
    allocation_of,
    claim_name,
    claim_references,
    consumer,
    consumers_of,
    extended_claim_name,
    is_reserved_for,
    known_claim_names,
    not_for_pod,
)
from memkube.controllers.workloads.owners import OwnedObjects, controller_reference
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

Key: TypeAlias = tuple[str, str, str]
"""Key in the work queue: ``pod`` or ``claim``, with the namespace and name of the object."""
_POD: Final = "pod"
_CLAIM: Final = "claim"
_POD_CLAIM: Final = "resource.kubernetes.io/pod-claim-name"
_FIELD_MANAGER: Final = "ResourceClaimController"
_LONGEST_BASE: Final = 57
_MOST_DELETED: Final = 500
_MOST_CREATED: Final = 100
_CREATED_KEPT: Final = timedelta(hours=1)
_ENDED: Final = ("Succeeded", "Failed")


class _Created(NamedTuple):
    """A ResourceClaim that the controller has created, with the time of its creation."""

    claim: StoredObject
    at: datetime


class _Failed(Exception):
    """Raised if a ResourceClaim cannot be created.

    Its text becomes the end of the message of an Event about the pod.
    """


class ResourceClaimController:
    """Creates the ResourceClaims for templates that pods refer to, and removes ended pods from ``reservedFor``.

    A claim that is reserved for no pod is deallocated. If it was created for a pod that has ended, it is deleted. If
    the pod is deleted, the garbage collector deletes the claim.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "resource_claim")
        self._status_client = runtime.client_of(_FIELD_MANAGER)
        self._pods = runtime.informers.of("", "v1", "pods")
        self._users = PodsByResourceClaim(self._pods)
        claims = runtime.informers.of(*CLAIMS)
        self._claims = KnownObjects(claims)
        self._owned = OwnedObjects(claims)
        self._created: deque[_Created] = deque(maxlen=_MOST_CREATED)
        """Claims that this controller created last, even if they have been deleted since.

        As in Go (``MutationCache``), such a claim counts as existing, so that it is not created again for its pod.
        """
        self._templates = runtime.informers.of(*TEMPLATES)
        self._deleted: OrderedDict[str, None] = OrderedDict()
        """Uids of the pods that were deleted recently, the oldest first."""
        self._queue = runtime.queue("resource claims", self._sync)
        self._pods.subscribe(self._on_pod)
        claims.subscribe(self._on_claim)
        self._templates.subscribe(self._on_template)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        assert pod is not None
        extended = extended_claim_name(pod)
        if not claim_references(pod) and not extended:
            return
        if new is None:
            self._deleted[pod.uid] = None
            if len(self._deleted) > _MOST_DELETED:
                self._deleted.popitem(last=False)
        if new is None or is_done(pod):
            for name in (*known_claim_names(pod), *([extended] if extended else ())):
                self._queue.add((_CLAIM, pod.namespace, name))
        if new is not None:
            self._enqueue(pod)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        claim = new or old
        assert claim is not None
        if new is not None:
            self._queue.add((_CLAIM, claim.namespace, claim.name))
        for pod in self._users.of_claim(claim.namespace, claim.name):
            self._on_pod(pod, pod)

    def _on_template(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            for pod in self._users.of_template(new.namespace, new.name):
                self._on_pod(pod, pod)

    def _enqueue(self, pod: StoredObject) -> None:
        if "deletionTimestamp" not in pod.document["metadata"] and self._needs_work(pod):
            self._queue.add((_POD, pod.namespace, pod.name))

    def _needs_work(self, pod: StoredObject) -> bool:
        """True if a ResourceClaim must be created for the pod or reserved for it (``podNeedsWork``)."""
        for reference in claim_references(pod):
            try:
                found = claim_name(pod, reference)
            except NotCreated:
                return True
            if found is None:
                continue
            claim = self._claims.get((pod.namespace, found.name))
            if claim is None:
                if reference.get("resourceClaimTemplateName") is not None:
                    return True
            elif not (found.is_generated and not_for_pod(claim, pod)) and _lacks_reservation(claim, pod):
                return True
        return False

    async def _sync(self, key: Key) -> None:
        kind, namespace, name = key
        if kind == _CLAIM:
            await self._sync_claim(namespace, name)
        else:
            await self._sync_pod(namespace, name)

    async def _sync_pod(self, namespace: str, name: str) -> None:
        pod = self._pods.get(namespace, name)
        if pod is None or "deletionTimestamp" in pod.document["metadata"]:
            return
        created: dict[str, str] = {}
        for reference in claim_references(pod):
            try:
                claim = await self._generated_claim(pod, reference)
            except _Failed as error:
                message = f"PodResourceClaim {reference['name']}: {error}"
                await self._events.record(pod, Report("Warning", "FailedResourceClaimCreation", message))
                raise TryAgain from None
            if claim is not None:
                created[reference["name"]] = claim.name
        if created:
            statuses = [{"name": one, "resourceClaimName": claim} for one, claim in created.items()]
            pods = self._runtime.registry.find("", "v1", "pods").resource
            fields = {"status": {"resourceClaimStatuses": statuses}}
            await self._status_client.apply(pods, namespace, name, fields, subresource="status")
        if pod.document["spec"].get("nodeName"):
            await self._reserve_for(pod)

    async def _generated_claim(self, pod: StoredObject, reference: Document) -> StoredObject | None:
        """Return the ResourceClaim that was created for an entry of the pod's ``spec.resourceClaims``, `reference`.

        A missing claim is created from the template. Returns None if the pod's status already names the claim or
        says that none is needed, or if the entry names no template. Raises _Failed if the claim cannot be created.
        """
        try:
            found = claim_name(pod, reference)
        except NotCreated:
            found = None
        else:
            if found is None:
                return None
            known = self._claims.get((pod.namespace, found.name))
            if known is not None and not (found.is_generated and not_for_pod(known, pod)):
                return None
        if reference.get("resourceClaimTemplateName") is None:
            return None
        orphan = self._created_for(pod, reference["name"])
        return orphan or await self._create(pod, reference)

    def _created_for(self, pod: StoredObject, name: str) -> StoredObject | None:
        now = self._runtime.clock.now()
        created = [claim for claim, at in self._created if now < at + _CREATED_KEPT]
        for claim in (*self._owned.of(pod.uid), *created):
            reference = controller_reference(claim.document)
            annotations = claim.document["metadata"].get("annotations") or {}
            if reference is not None and reference["uid"] == pod.uid and annotations.get(_POD_CLAIM) == name:
                return claim
        return None

    async def _create(self, pod: StoredObject, reference: Document) -> StoredObject:
        template_name = reference["resourceClaimTemplateName"]
        template = self._templates.get(pod.namespace, template_name)
        if template is None:
            missing = f'resourceclaimtemplate.resource.k8s.io "{template_name}" not found'
            raise _Failed(f'resource claim template "{template_name}": {missing}')
        spec = template.document["spec"]
        given = spec.get("metadata") or {}
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
        metadata = {
            "generateName": _base_name(pod.name, reference["name"]),
            "ownerReferences": [owner],
            "annotations": {**(given.get("annotations") or {}), _POD_CLAIM: reference["name"]},
            "labels": given.get("labels") or {},
        }
        claim = self._resource.model.from_document({"metadata": metadata, "spec": spec["spec"]})
        try:
            stored = await self._runtime.client.create(self._resource, claim, pod.namespace)
        except ApiError as error:
            raise _Failed(f"create ResourceClaim : {error.message}") from None
        self._created.append(_Created(stored, self._runtime.clock.now()))
        return stored

    async def _reserve_for(self, pod: StoredObject) -> None:
        """Reserve allocated ResourceClaims for a pod that was bound to a node without kube-scheduler."""
        for reference in claim_references(pod):
            try:
                found = claim_name(pod, reference)
            except NotCreated:
                # This controller has just written the claim's name into the pod's status, which `pod` does not show
                # yet. The watch event for that write will queue the pod again.
                return
            claim = None if found is None else self._claims.get((pod.namespace, found.name))
            if found is None:
                continue
            if claim is None:
                return
            if found.is_generated and (why := not_for_pod(claim, pod)):
                raise RuntimeError(why)
            if _lacks_reservation(claim, pod):
                await self._update_status(claim, [*consumers_of(claim), consumer(pod.name, pod.uid)])

    async def _sync_claim(self, namespace: str, name: str) -> None:
        claim = self._claims.get((namespace, name))
        if claim is None:
            return
        consumers = consumers_of(claim)
        remaining = [one for one in consumers if await self._may_keep(namespace, one)]
        is_leaving = "deletionTimestamp" in claim.document["metadata"]
        if len(remaining) < len(consumers):
            deallocates = not remaining and _has_finalizer(claim)
            claim = await self._update_status(claim, remaining, deallocates=deallocates)
            if _has_finalizer(claim) and allocation_of(claim) is None:
                claim = await self._remove_finalizer(claim)
        elif _has_finalizer(claim) and is_leaving and not remaining:
            if allocation_of(claim) is not None:
                claim = await self._update_status(claim, consumers, deallocates=True)
            await self._remove_finalizer(claim)
        if not remaining:
            await self._delete_unneeded(claim)

    async def _may_keep(self, namespace: str, reference: Document) -> bool:
        """True unless `reference`, a consumer of a ResourceClaim, is a pod that has ended or no longer exists."""
        if reference.get("apiGroup") or reference["resource"] != "pods":
            return True
        if reference["uid"] in self._deleted:
            return False
        pod = self._pods.get(namespace, reference["name"])
        if pod is not None:
            return pod.uid == reference["uid"] and not is_done(pod)
        pods = self._runtime.registry.find("", "v1", "pods").resource
        with ignoring_absence():
            found = await self._runtime.client.get(pods, namespace, reference["name"])
            return found.uid == str(reference["uid"])
        return False

    async def _delete_unneeded(self, claim: StoredObject) -> None:
        """Delete a ResourceClaim that was created for a pod which has ended or was replaced."""
        owner = controller_reference(claim.document)
        if owner is None or (owner["apiVersion"], owner["kind"]) != ("v1", "Pod"):
            return
        pod = self._pods.get(claim.namespace, owner["name"])
        if pod is not None and (pod.uid != owner["uid"] or is_done(pod)):
            await self._runtime.client.delete(self._resource, claim.namespace, claim.name, DeleteOptions())

    async def _update_status(
        self, claim: StoredObject, consumers: list[Document], *, deallocates: bool = False
    ) -> StoredObject:
        def change(obj: ApiObject) -> None:
            assert isinstance(obj, ResourceClaim)
            obj.status.reservedFor = [ResourceClaimConsumerReference.from_document(one) for one in consumers]
            if deallocates:
                obj.status.allocation = None

        return await self._written(claim, change, "status")

    async def _remove_finalizer(self, claim: StoredObject) -> StoredObject:
        def change(obj: ApiObject) -> None:
            obj.metadata.finalizers = [name for name in obj.metadata.finalizers if name != FINALIZER]

        return await self._written(claim, change)

    async def _written(
        self, claim: StoredObject, change: Callable[[ApiObject], None], subresource: str = ""
    ) -> StoredObject:
        client = self._runtime.client
        stored = await client.update_revision(self._resource, claim, change, subresource=subresource)
        self._claims.put(stored)
        return stored

    @property
    def _resource(self) -> Resource:
        return self._runtime.registry.find(*CLAIMS).resource


def is_done(pod: StoredObject) -> bool:
    """True if no container of the pod is running or will ever start."""
    document = pod.document
    if document["status"].get("phase") in _ENDED:
        return True
    return "deletionTimestamp" in document["metadata"] and not document["spec"].get("nodeName")


def _lacks_reservation(claim: StoredObject, pod: StoredObject) -> bool:
    """True if a bound pod uses an allocated ResourceClaim that is not reserved for it.

    The result is False for an ended pod. kube-controller-manager lacks this exception: it would add the pod to
    ``reservedFor`` and remove it again without end.
    """
    has_node = bool(pod.document["spec"].get("nodeName")) and not is_done(pod)
    return has_node and allocation_of(claim) is not None and not is_reserved_for(claim, pod.uid)


def _has_finalizer(claim: StoredObject) -> bool:
    return FINALIZER in (claim.document["metadata"].get("finalizers") or ())


def _base_name(pod: str, claim: str) -> str:
    """Return the beginning of the name of a pod's ResourceClaim.

    If it would be too long, the names of the pod and of the claim are shortened in proportion to their lengths.
    """
    base = f"{pod}-{claim}-"
    if len(base) <= _LONGEST_BASE:
        return base
    pod, claim = (name[: len(name) * _LONGEST_BASE // len(base)] for name in (pod, claim))
    return f"{pod}-{claim}"
