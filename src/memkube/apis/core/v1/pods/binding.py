"""Binding: a scheduler assigns a pod to a node (``pkg/registry/core/pod/storage/storage.go``: BindingREST)."""

from memkube.apimachinery.errors import ApiError, GroupResource, bad_request, conflict, unclassified
from memkube.apimachinery.field_errors import aggregate_message
from memkube.apis.core.v1.pods.status import set_condition
from memkube.apis.core.v1.pods.types import Binding, Pod, PodCondition
from memkube.apis.core.v1.pods.validation.create import validate_binding
from memkube.registry.clock import written_now
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.key_names import check_key_name
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.registry.stored import StoredObject

_SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


async def bind(registry: Registry, name: str, obj: Binding, context: WriteContext) -> Created:
    """POST to ``binding``. Raises ApiError 400, 404, 409, and 500 for a target that is no node."""
    if obj.metadata.name != name:
        raise bad_request("name in URL does not match name in Binding object")
    errors = validate_binding(obj)
    if errors:
        raise unclassified(aggregate_message(errors))
    check_key_name(name)
    store = registry.find("", "v1", "pods")

    async def change(current: StoredObject) -> StoredObject:
        _check_preconditions(store, current, obj, dry_run=context.dry_run)
        return _bound(store, current, obj)

    key, storage = store.key(context.namespace, name), registry.backend.storage
    stored = await store.get(context.namespace, name)
    if context.dry_run:
        await change(stored)
    else:
        await storage.update(key, change)
    return Created(_SUCCESS)


async def bind_by_name(registry: Registry, name: str, obj: Binding, context: WriteContext) -> Created:
    """POST to the old address of bindings, where the binding alone names the pod. Raises ApiError as ``bind`` does."""
    return await bind(registry, obj.metadata.name, obj, context)


def _bound(store: Store, current: StoredObject, binding: Binding) -> StoredObject:
    pod = Pod.from_document(current.document)
    name, spec, metadata = pod.metadata.name, pod.spec, pod.metadata
    if metadata.deletionTimestamp is not None:
        raise _refused(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.nodeName:
        raise _refused(name, f'pod {name} is already assigned to node "{spec.nodeName}"')
    if spec.schedulingGates:
        raise _refused(name, f"pod {name} has non-empty .spec.schedulingGates")
    spec.nodeName = binding.target.name
    pod.status.nominatedNodeName = ""
    metadata.annotations = {**metadata.annotations, **binding.metadata.annotations}
    metadata.labels = {**metadata.labels, **binding.metadata.labels}
    set_condition(pod.status, PodCondition(type="PodScheduled", status="True"), written_now(store.backend.clock))
    return StoredObject(pod.to_document())


def _check_preconditions(store: Store, current: StoredObject, binding: Binding, *, dry_run: bool) -> None:
    store.check_uid(current, binding.metadata.uid or None, dry_run=dry_run)
    version = binding.metadata.resourceVersion
    if version and version != current.resource_version:
        why = (
            f"Precondition failed: ResourceVersion in precondition: {version}, "
            f"ResourceVersion in object meta: {current.resource_version}"
        )
        raise store.precondition_failed(current, why, dry_run=dry_run)


def _refused(name: str, why: str) -> ApiError:
    return conflict(GroupResource("", "pods/binding"), name, why)
