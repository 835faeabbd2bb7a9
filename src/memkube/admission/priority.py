"""Priority: sets pod priority and preemption policy from PriorityClasses, and allows only one default class."""

from collections.abc import Sequence
from typing import ClassVar

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.admission.configurations import Configurations
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.scheduling.v1.priorityclasses.types import PriorityClass
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.objects.stored import StoredObject

_DEFAULT_PRIORITY = 0
_DEFAULT_PREEMPTION = "PreemptLowerPriority"


class Priority(Plugin):
    """Admission plugin that sets the priority and preemption policy of pods from their PriorityClass.

    It allows only one default PriorityClass. Source: ``plugin/pkg/admission/priority``.
    """

    name: ClassVar[str] = "Priority"

    def __init__(self, parts: AdmissionParts) -> None:
        self._classes = parts.registry.find("scheduling.k8s.io", "v1", "priorityclasses")
        self._default = Configurations(self._classes, _default_of)

    async def mutate(self, attributes: Attributes) -> None:
        """Set the priority and preemption policy of a new pod from its PriorityClass.

        If an update omits these fields, their old values are restored.
        """
        pod, old = attributes.new, attributes.old
        if attributes.subresource or not isinstance(pod, Pod):
            return
        if not isinstance(old, Pod):
            await self._admit_new_pod(attributes, pod)
            return
        spec = pod.spec
        spec.priority = old.spec.priority if spec.priority is None else spec.priority
        if spec.preemptionPolicy is None:
            spec.preemptionPolicy = old.spec.preemptionPolicy

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a second PriorityClass with ``globalDefault: true``."""
        new = attributes.new
        if not isinstance(new, PriorityClass) or not new.globalDefault:
            return
        default = await self._default_class()
        name = default["metadata"]["name"] if default is not None else ""
        if name and (attributes.operation == "CREATE" or name != new.metadata.name):
            why = f"PriorityClass {name} is already marked as default. Only one default can exist"
            raise refused(attributes, why)

    async def _admit_new_pod(self, attributes: Attributes, pod: Pod) -> None:
        spec = pod.spec
        if spec.priorityClassName:
            chosen: Document | None = await self._class(attributes, spec.priorityClassName)
        else:
            chosen = await self._default_class()
        priority, policy = _DEFAULT_PRIORITY, _DEFAULT_PREEMPTION
        if chosen is not None:
            spec.priorityClassName = chosen["metadata"]["name"]
            priority, policy = chosen["value"], chosen["preemptionPolicy"]
        if spec.priority is not None and spec.priority != priority:
            raise refused(
                attributes,
                f"the integer value of priority ({spec.priority}) must not be provided in pod spec; priority admission "
                f"controller computed {priority} from the given PriorityClass name",
            )
        if spec.preemptionPolicy is not None and spec.preemptionPolicy != policy:
            raise refused(
                attributes,
                f"the string value of PreemptionPolicy ({spec.preemptionPolicy}) must not be provided in pod spec; "
                f"priority admission controller computed {policy} from the given PriorityClass name",
            )
        spec.priority, spec.preemptionPolicy = priority, policy

    async def _class(self, attributes: Attributes, name: str) -> Document:
        try:
            return (await self._classes.get("", name)).document
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            raise refused(attributes, f"no PriorityClass with name {name} was found") from None

    async def _default_class(self) -> Document | None:
        return await self._default.get()


def _default_of(classes: Sequence[StoredObject]) -> Document | None:
    """Return the class with ``globalDefault: true`` among the PriorityClasses `classes`; None if there is none.

    If there are several, the one with the lowest value is returned.
    """
    defaults = (stored.document for stored in classes if stored.document.get("globalDefault"))
    return min(defaults, key=lambda document: int(document["value"]), default=None)
