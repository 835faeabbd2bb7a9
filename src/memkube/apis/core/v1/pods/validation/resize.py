"""Validation of the ``resize`` subresource: containers (KEP-1287) and the pod as a whole (KEP-5419)."""

from collections.abc import Mapping
from typing import Any, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid_typed
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.pods.status import qos_class
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.pods.validation.create import SPEC
from memkube.apis.core.v1.pods.validation.update import validate_change
from memkube.apis.core.v1.podspec.types.containers import Container, ResourceRequirements
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD

_RESIZED: Final = ("cpu", "memory")
_ONLY_CPU_AND_MEMORY: Final = "only cpu and memory resources are mutable"


def validate_pod_resize(new: Pod, old: Pod) -> list[FieldError]:
    """Validate a resize of a pod.

    Only cpu and memory may change, no request or limit may be removed, and the QoS class must stay the same.
    """
    if MIRROR_POD in old.metadata.annotations:
        return [forbidden("[]", "static pods cannot be resized")]
    if old.spec.os is not None and old.spec.os.name == "windows":
        return [forbidden("[]", "windows pods cannot be resized")]
    errors = validate_change(new, old)
    if (old.status.qosClass or qos_class(old.spec)) != qos_class(new.spec):
        detail = "Pod QOS Class may not change as a result of resizing"
        errors.append(invalid_typed(SPEC, new.status.qosClass, detail))
    if not _is_resizable(old):
        errors.append(forbidden(SPEC, "Pod running on node without support for resize"))
    remainder: dict[str, Any] = {}
    if _has_resources(old.spec) or _has_resources(new.spec):
        pod_errors, remainder["resources"] = _validate_pod_level(new.spec.resources, old.spec.resources)
        errors += pod_errors
    order_errors = _validate_order(new.spec, old.spec)
    if order_errors:
        return errors + order_errors
    errors += _validate_none_removed(new.spec, old.spec)
    for name in ("containers", "initContainers"):
        pairs = zip(getattr(new.spec, name), getattr(old.spec, name), strict=True)
        remainder[name] = [_without_resized(container, other) for container, other in pairs]
    errors += _validate_unchanged(new.spec, old.spec, remainder)
    if not errors and new.spec.model_copy(update=remainder) != old.spec:
        errors.append(forbidden(SPEC, _ONLY_CPU_AND_MEMORY))
    return errors


def _is_resizable(pod: Pod) -> bool:
    """True if the node of a pod supports resizing.

    A kubelet that supports resizing reports the resources of each running container in its status, so the first running
    container is checked. Without running containers, the result is True.
    """
    running = (status for status in pod.status.containerStatuses if status.state.running is not None)
    return all(status.resources is not None for status in list(running)[:1])


def _has_resources(spec: PodSpec) -> bool:
    return spec.resources is not None and bool(spec.resources.requests or spec.resources.limits)


def _validate_pod_level(
    new: ResourceRequirements | None, old: ResourceRequirements | None
) -> tuple[list[FieldError], ResourceRequirements | None]:
    """Validate the pod-level resources of a resized pod: only amounts of cpu and memory may change.

    Returns the errors, and the new resources with the old amounts of cpu and memory. The caller puts these into the new
    spec, to find out whether the update changes anything else.
    """
    path = SPEC.child("resources")
    if new is None:
        return ([] if old is None else [forbidden(path, "pod-level resources cannot be removed")]), new
    errors: list[FieldError] = []
    if old is not None:
        for kind, noun in (("requests", "requests"), ("limits", "limits")):
            if not getattr(old, kind).keys() <= getattr(new, kind).keys():
                errors.append(forbidden(path.child(kind), f"pod-level resource {noun} cannot be removed"))
    before = old or ResourceRequirements()
    remainder: ResourceRequirements | None = new.model_copy(
        update={kind: _without_amounts(getattr(new, kind), getattr(before, kind)) for kind in ("requests", "limits")}
    )
    if old is None and remainder == ResourceRequirements():
        remainder = None
    if remainder != old:
        errors.append(forbidden(SPEC, f"{_ONLY_CPU_AND_MEMORY} at pod-level"))
    return errors, remainder


def _validate_order(new: PodSpec, old: PodSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in ("containers", "initContainers"):
        after, before = getattr(new, name), getattr(old, name)
        if len(after) != len(before):
            errors.append(forbidden(SPEC.child(name), f"{name} may not be added or removed on resize"))
            continue
        for index, (container, other) in enumerate(zip(after, before, strict=True)):
            if container.name != other.name:
                name_path = SPEC.child(name).item(index).child("name")
                errors.append(forbidden(name_path, f"{name} may not be renamed or reordered on resize"))
    return errors


def _validate_none_removed(new: PodSpec, old: PodSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in ("initContainers", "containers"):
        for index, (container, other) in enumerate(zip(getattr(new, name), getattr(old, name), strict=True)):
            path = SPEC.child(name).item(index).child("resources")
            errors += _removed(container.resources.requests, other.resources.requests, "requests", path)
            errors += _removed(container.resources.limits, other.resources.limits, "limits", path)
    return errors


def _removed(new: Mapping[str, Quantity], old: Mapping[str, Quantity], kind: str, path: FieldPath) -> list[FieldError]:
    return [] if old.keys() <= new.keys() else [forbidden(path.child(kind), f"resource {kind} cannot be removed")]


def _validate_unchanged(new: PodSpec, old: PodSpec, remainder: dict[str, Any]) -> list[FieldError]:
    errors = [
        forbidden(SPEC, _ONLY_CPU_AND_MEMORY)
        for container, other in zip(remainder["containers"], old.containers, strict=True)
        if container != other
    ]
    for index, container in enumerate(remainder["initContainers"]):
        path = SPEC.child("initContainers").item(index)
        if container != old.initContainers[index]:
            detail = "only cpu and memory resources for init or sidecar containers are mutable"
            errors.append(forbidden(path, detail))
        changed = new.initContainers[index] != old.initContainers[index]
        if changed and container.restartPolicy != "Always":
            detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
            restarts = sum(policy.restartPolicy == "RestartContainer" for policy in container.resizePolicy)
            errors += [forbidden(path, detail)] * restarts
    return errors


def _without_resized(container: Container, old: Container) -> Container:
    """Return the new container with the old amounts of cpu and memory, for a comparison with the old container.

    As in kube-apiserver, resource claims are left out. So a container with resource claims always differs from the old
    one, which means that its pod cannot be resized.
    """
    resources = ResourceRequirements(
        limits=_without_amounts(container.resources.limits, old.resources.limits),
        requests=_without_amounts(container.resources.requests, old.resources.requests),
    )
    return container.model_copy(update={"resources": resources})


def _without_amounts(new: Mapping[str, Quantity], old: Mapping[str, Quantity]) -> dict[str, Quantity]:
    kept = {name: quantity for name, quantity in new.items() if name not in _RESIZED}
    return kept | {name: old[name] for name in _RESIZED if name in old}
