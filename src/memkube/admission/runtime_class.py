"""RuntimeClass: sets overhead, node selector and tolerations of pods from their RuntimeClass, which must exist."""

from collections.abc import Mapping
from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import ApiError, unclassified
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import given, quoted
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.tolerations import merged_tolerations
from memkube.apis.node.v1.runtimeclasses.types import RuntimeClass as RuntimeClassObject
from memkube.apis.node.v1.runtimeclasses.types import Scheduling
from memkube.registry.declarations.admission import Attributes, refused

_MISMATCH: Final = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_WITHOUT_CLASS: Final = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


class RuntimeClass(Plugin):
    """Admission plugin that sets overhead, node selector and tolerations of pods from their RuntimeClass.

    The RuntimeClass must exist. Source: ``plugin/pkg/admission/runtimeclass``.
    """

    name: ClassVar[str] = "RuntimeClass"

    async def mutate(self, attributes: Attributes) -> None:
        """Set the overhead of a new pod from its RuntimeClass, and add the RuntimeClass's scheduling constraints.

        Raises ApiError if the RuntimeClass does not exist, or if the pod already has a different overhead.
        """
        pod = _new_pod(attributes)
        runtime_class = None if pod is None else await self._class(attributes, pod)
        if pod is None or runtime_class is None:
            return
        if runtime_class.overhead is not None:
            overhead = runtime_class.overhead.podFixed
            if pod.spec.overhead and not _same_amounts(overhead, pod.spec.overhead):
                raise refused(attributes, _MISMATCH)
            pod.spec.overhead = overhead
        if runtime_class.scheduling is not None:
            _schedule(attributes, pod, runtime_class.scheduling)

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a new pod whose overhead differs from that of its RuntimeClass."""
        pod = _new_pod(attributes)
        if pod is None:
            return
        runtime_class = await self._class(attributes, pod)
        if runtime_class is None or runtime_class.overhead is None:
            if given(pod.spec, "overhead") is not None:
                raise refused(attributes, _WITHOUT_CLASS)
        elif not _same_amounts(runtime_class.overhead.podFixed, pod.spec.overhead):
            raise refused(attributes, _MISMATCH)

    async def _class(self, attributes: Attributes, pod: Pod) -> RuntimeClassObject | None:
        name = pod.spec.runtimeClassName
        if name is None:
            return None
        if not name:
            raise unclassified("resource name may not be empty")
        try:
            stored = await self._registry.find("node.k8s.io", "v1", "runtimeclasses").get("", name)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            raise refused(attributes, f"pod rejected: RuntimeClass {quoted(name)} not found") from None
        return RuntimeClassObject.from_document(stored.document)


def _new_pod(attributes: Attributes) -> Pod | None:
    pod = attributes.new
    return pod if isinstance(pod, Pod) and not attributes.subresource else None


def _schedule(attributes: Attributes, pod: Pod, scheduling: Scheduling) -> None:
    chosen = dict(pod.spec.nodeSelector)
    for label, value in scheduling.nodeSelector.items():
        if chosen.setdefault(label, value) != value:
            why = (
                f"conflict: runtimeClass.scheduling.nodeSelector[{label}] = {value}; "
                f"pod.spec.nodeSelector[{label}] = {chosen[label]}"
            )
            raise refused(attributes, why)
    pod.spec.nodeSelector = chosen
    pod.spec.tolerations = merged_tolerations(pod.spec.tolerations, scheduling.tolerations)


def _same_amounts(one: Mapping[str, Quantity], other: Mapping[str, Quantity]) -> bool:
    return {name: one[name].nano for name in one} == {name: other[name].nano for name in other}
