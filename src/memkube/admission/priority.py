"""Priority: a pod's priority follows from its class."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.core.v1.pods.types import Pod
from memkube.registry.admission import Attributes, refused
from memkube.registry.registry import Registry

_DEFAULT_PRIORITY = 0
_DEFAULT_PREEMPTION = "PreemptLowerPriority"
SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


class Priority(Plugin):
    """Source: ``plugin/pkg/admission/priority``. The two system classes are the only ones there are."""

    name: ClassVar[str] = "Priority"

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def mutate(self, attributes: Attributes) -> None:
        """Sets priority and preemption policy of new pods, and keeps them when an update leaves them out."""
        pod, old = attributes.new, attributes.old
        if attributes.subresource or not isinstance(pod, Pod):
            return
        spec = pod.spec
        if isinstance(old, Pod):
            spec.priority = old.spec.priority if spec.priority is None else spec.priority
            if spec.preemptionPolicy is None:
                spec.preemptionPolicy = old.spec.preemptionPolicy
            return
        priority = _priority_of(attributes, spec.priorityClassName)
        if spec.priority is not None and spec.priority != priority:
            raise refused(
                attributes,
                f"the integer value of priority ({spec.priority}) must not be provided in pod spec; priority admission "
                f"controller computed {priority} from the given PriorityClass name",
            )
        if spec.preemptionPolicy is not None and spec.preemptionPolicy != _DEFAULT_PREEMPTION:
            raise refused(
                attributes,
                f"the string value of PreemptionPolicy ({spec.preemptionPolicy}) must not be provided in pod spec; "
                f"priority admission controller computed {_DEFAULT_PREEMPTION} from the given PriorityClass name",
            )
        spec.priority = priority
        spec.preemptionPolicy = _DEFAULT_PREEMPTION


def _priority_of(attributes: Attributes, class_name: str) -> int:
    if not class_name:
        return _DEFAULT_PRIORITY
    if class_name not in SYSTEM_CLASSES:
        raise refused(attributes, f"no PriorityClass with name {class_name} was found")
    return SYSTEM_CLASSES[class_name]
