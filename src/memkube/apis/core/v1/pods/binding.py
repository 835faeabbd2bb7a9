"""The ``binding`` subresource of pods, by which a scheduler assigns a pod to a node.

Source: BindingREST in ``pkg/registry/core/pod/storage/storage.go``.
"""

from memkube.apimachinery.errors import ApiError, GroupResource, bad_request, conflict, unclassified
from memkube.apimachinery.field_errors import aggregate_message
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.status import set_condition
from memkube.apis.core.v1.pods.types import Binding, Pod, PodCondition
from memkube.apis.core.v1.pods.validation.create import validate_binding
from memkube.registry.declarations.interface import Created, ObjectStore, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import check_key_name
from memkube.time.clock import written_now

_SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


async def bind(stores: Stores, name: str, obj: Binding, context: WriteContext) -> Created:
    """Assign a pod to a node, on a POST of a Binding.

    Raises ApiError with one of these codes:

    - 400: the Binding has another name than the URL.
    - 404: the pod does not exist.
    - 409: the pod is terminating, already assigned or has scheduling gates, or it has another UID or resource version
      than the Binding requires.
    - 500: the Binding is invalid in another way.
    """
    if obj.metadata.name != name:
        raise bad_request("name in URL does not match name in Binding object")
    errors = validate_binding(obj)
    if errors:
        raise unclassified(aggregate_message(errors))
    await context.validate_admission()
    check_key_name(name)
    pods = stores.find("", "v1", "pods")

    async def check(current: StoredObject) -> None:
        _check_preconditions(pods, current, obj, dry_run=context.dry_run)

    def change(pod: Pod) -> None:
        _bind(pod, obj, written_now(stores.clock))

    await pods.guaranteed_update(name, change, context, check, replaces_spec=True)
    return Created(_SUCCESS)


def _bind(pod: Pod, binding: Binding, now: Time) -> None:
    name, spec, metadata = pod.metadata.name, pod.spec, pod.metadata
    if metadata.deletionTimestamp is not None:
        raise _refused(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.nodeName:
        raise _refused(name, f'pod {name} is already assigned to node "{spec.nodeName}"')
    if spec.schedulingGates:
        raise _refused(name, f"pod {name} has non-empty .spec.schedulingGates")
    pod.spec = spec.model_copy(update={"nodeName": binding.target.name})
    pod.status.nominatedNodeName = ""
    metadata.annotations = {**metadata.annotations, **binding.metadata.annotations}
    metadata.labels = {**metadata.labels, **binding.metadata.labels}
    set_condition(pod.status, PodCondition(type="PodScheduled", status="True"), now)


def _check_preconditions(pods: ObjectStore, current: StoredObject, binding: Binding, *, dry_run: bool) -> None:
    pods.check_uid(current, binding.metadata.uid or None, dry_run=dry_run)
    version = binding.metadata.resourceVersion
    if version and version != current.resource_version:
        why = (
            f"Precondition failed: ResourceVersion in precondition: {version}, "
            f"ResourceVersion in object meta: {current.resource_version}"
        )
        raise pods.precondition_failed(current, why, dry_run=dry_run)


def _refused(name: str, why: str) -> ApiError:
    return conflict(GroupResource("", "pods/binding"), name, why)
