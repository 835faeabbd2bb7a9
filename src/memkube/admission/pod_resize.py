"""PodResizeValidator and NodeDeclaredFeatureValidator: refuse resizes that the pod's node cannot carry out."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import ApiError, Cause
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.nodes.types import Node
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.aggregate_resources import pod_requests
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.registry import Registry

_OS: Final = "kubernetes.io/os"
_NONE: Final = Quantity("0")


class PodResizeValidator(Plugin):
    """Admission plugin that refuses resizes of a pod which the pod's node does not support.

    Source: ``plugin/pkg/admission/podresize``.
    """

    name: ClassVar[str] = "PodResizeValidator"

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a resize if the pod's node does not exist, does not run Linux or has too few allocatable resources."""
        pods = _changed_on_node(attributes)
        if attributes.subresource != "resize" or pods is None:
            return
        pod, _ = pods
        node = await _node(self._registry, attributes, pod.spec.nodeName)
        system = node.metadata.labels.get(_OS, "linux")
        if system != "linux":
            where = f"node {quoted(node.metadata.name)} is {quoted(system)}"
            raise _because(attributes, "UnsupportedPlatform", f"pod resize is only supported on linux nodes, {where}")
        missing = _missing(pod.spec, node.status.allocatable)
        if missing:
            why = f"node didn't have enough allocatable resources: {'; '.join(missing)}"
            raise _because(attributes, "NodeCapacity", why)


class NodeDeclaredFeatureValidator(Plugin):
    """Admission plugin that refuses updates of a pod which need a feature that the pod's node does not declare.

    Updates can need two such features: resizing the resources of the whole pod, and resizing init containers. Sources:
    ``plugin/pkg/admission/nodedeclaredfeatures`` and component-helpers' ``nodedeclaredfeatures``.
    """

    name: ClassVar[str] = "NodeDeclaredFeatureValidator"

    async def validate(self, attributes: Attributes) -> None:
        """Refuse an update that needs a feature that is not in ``status.declaredFeatures`` of the pod's node."""
        pods = _changed_on_node(attributes)
        if attributes.subresource not in ("", "resize") or pods is None:
            return
        needed = _needed_features(*(pod.spec for pod in pods))
        if not needed:
            return
        node = await _node(self._registry, attributes, pods[0].spec.nodeName)
        lacking = [name for name in needed if name not in node.status.declaredFeatures]
        if lacking:
            where = f"which are not available on node {quoted(node.metadata.name)}"
            raise refused(attributes, f"pod update requires features {', '.join(lacking)} {where}")


def _changed_on_node(attributes: Attributes) -> tuple[Pod, Pod] | None:
    """Return the new and the old pod if an update changes the spec of a pod bound to a node; otherwise None."""
    new, old = attributes.new, attributes.old
    if not isinstance(new, Pod) or not isinstance(old, Pod) or not new.spec.nodeName:
        return None
    return None if new.metadata.generation == old.metadata.generation else (new, old)


async def _node(registry: Registry, attributes: Attributes, name: str) -> Node:
    try:
        stored = await registry.find("", "v1", "nodes").get("", name)
    except ApiError:
        raise refused(attributes, f"node {quoted(name)} not found") from None
    return Node.from_document(stored.document)


def _missing(spec: PodSpec, allocatable: dict[str, Quantity]) -> list[str]:
    requests, found = pod_requests(spec), []
    cpu, most_cpu = (amounts.get("cpu", _NONE) for amounts in (requests, allocatable))
    if cpu.nano > most_cpu.nano:
        found.append(f"cpu, requested: {cpu.milli_value}, allocatable: {most_cpu.milli_value}")
    memory, most_memory = (amounts.get("memory", _NONE) for amounts in (requests, allocatable))
    if memory.nano > most_memory.nano:
        found.append(f"memory, requested: {memory.value}, allocatable: {most_memory.value}")
    return found


def _because(attributes: Attributes, reason: str, why: str) -> ApiError:
    error = refused(attributes, why)
    assert error.details is not None
    error.details = error.details._replace(causes=(Cause(reason),))
    return error


def _needed_features(new: PodSpec, old: PodSpec) -> list[str]:
    needed = []
    if new.resources != old.resources:
        needed.append("InPlacePodLevelResourcesVerticalScaling")
    if any(_is_resized(before, after) for before, after in zip(old.initContainers, new.initContainers, strict=True)):
        needed.append("InPlacePodVerticalScalingInitContainers")
    return needed


def _is_resized(before: Container, after: Container) -> bool:
    """True if an update of an init container from `before` to `after` changes its resources; False for a sidecar."""
    return before.restartPolicy != "Always" and before.resources != after.resources
