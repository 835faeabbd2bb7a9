"""Carries out plans: creates, updates and deletes EndpointSlices."""

from functools import partial

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject, OwnerReference
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apis.discovery.v1.endpointslices.types import Endpoint, EndpointPort, EndpointSlice
from memkube.controllers.endpoint_slices.known_slices import KnownSlices
from memkube.controllers.endpoint_slices.slices import SLICES, Plan, Slice
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.pod_control import is_namespace_terminating
from memkube.controllers.workloads.pod_state import is_terminating
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject


class ReconcileFailed(Exception):
    """Raised if not all EndpointSlices of a Service were written. The message is that of kube-controller-manager."""


class SliceWriter:
    """Carries out plans for the EndpointSlices of Services, or of Endpoints, and records each write."""

    def __init__(self, runtime: Runtime, known: KnownSlices, owner_kind: str) -> None:
        self._runtime = runtime
        self._known = known
        self._owner_kind = owner_kind

    async def write(self, owner: StoredObject, plan: Plan) -> None:
        """Create, update and delete the planned EndpointSlices of `owner`. Raises ReconcileFailed at the first failure.

        No slices are created for a terminating owner, because the garbage collector would delete them.
        """
        resource = self._runtime.registry.find(*SLICES).resource
        try:
            for planned in () if is_terminating(owner) else plan.create:
                await self._create(resource, owner, planned)
        except ApiError as error:
            # Stop without an error in a terminating namespace, in which all further creations would fail too.
            if is_namespace_terminating(error):
                return
            raise self._failure(f"create EndpointSlice for {self._for(owner)}", error) from error
        for planned in plan.update:
            await self._update(resource, owner, planned)
        for planned in plan.delete:
            assert planned.stored is not None
            await self._delete(resource, owner, planned.stored)

    async def _create(self, resource: Resource, owner: StoredObject, planned: Slice) -> None:
        created = EndpointSlice(addressType=planned.address_type)
        _replace(planned, created)
        self._known.wrote(await self._runtime.client.create(resource, created, owner.namespace))

    async def _update(self, resource: Resource, owner: StoredObject, planned: Slice) -> None:
        current = planned.replaces or planned.stored
        assert current is not None
        change = partial(_change if planned.replaces is None else _replace, planned)
        try:
            self._known.wrote(await self._runtime.client.update(resource, current, change))
        except ApiError as error:
            raise self._failure(f"update {current.name} EndpointSlice for {self._for(owner)}", error) from error

    async def _delete(self, resource: Resource, owner: StoredObject, current: StoredObject) -> None:
        try:
            await self._runtime.client.delete(resource, current.namespace, current.name, DeleteOptions())
        except ApiError as error:
            raise self._failure(f"delete {current.name} EndpointSlice for {self._for(owner)}", error) from error
        self._known.deleted(current)

    def _for(self, owner: StoredObject) -> str:
        return f"{self._owner_kind} {owner.namespace}/{owner.name}"

    def _failure(self, action: str, error: ApiError) -> ReconcileFailed:
        return ReconcileFailed(f"failed to {action}: {error.message}")


def _change(planned: Slice, obj: ApiObject) -> None:
    """Write the planned fields into `obj`, the newest revision of an EndpointSlice.

    `obj` also gets the resourceVersion that the EndpointSlice had when the plan was computed. If another client has
    changed the EndpointSlice since then, the server refuses the write.
    """
    assert isinstance(obj, EndpointSlice)
    assert planned.stored is not None
    obj.metadata.resourceVersion = planned.stored.resource_version
    _set_contents(planned, obj)


def _replace(planned: Slice, obj: ApiObject) -> None:
    """Write the planned fields and metadata into `obj`, a new EndpointSlice or the newest revision of one.

    `obj` keeps the resourceVersion of the newest revision, so the server does not refuse the write, and changes that
    other clients made since the plan was computed are overwritten.
    """
    assert isinstance(obj, EndpointSlice)
    metadata = obj.metadata
    metadata.generateName = planned.prefix
    metadata.ownerReferences = [OwnerReference.from_document(planned.owner)]
    metadata.finalizers = []
    _set_contents(planned, obj)


def _set_contents(planned: Slice, obj: EndpointSlice) -> None:
    obj.metadata.labels = dict(planned.labels)
    obj.metadata.annotations = dict(planned.annotations)
    obj.endpoints = [Endpoint.from_document(each) for each in planned.endpoints]
    obj.ports = [EndpointPort.from_document(each) for each in planned.ports]
