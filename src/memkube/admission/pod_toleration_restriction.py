"""PodTolerationRestriction: which taints the pods of a namespace tolerate, and which they may."""

from collections.abc import Sequence
from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.decoding import decode
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import parse_json, value_name
from memkube.apimachinery.errors import unclassified
from memkube.apis.core.v1.pods.status import qos_class
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.scheduling import Toleration
from memkube.registry.admission import Attributes
from memkube.registry.registry import Registry

_DEFAULTS: Final = "scheduler.alpha.kubernetes.io/defaultTolerations"
_ALLOWED: Final = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
_MEMORY_PRESSURE: Final = "node.kubernetes.io/memory-pressure"


class PodTolerationRestriction(Plugin):
    """Source: ``plugin/pkg/admission/podtolerationrestriction``. Without a configuration only annotations count."""

    name: ClassVar[str] = "PodTolerationRestriction"

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def mutate(self, attributes: Attributes) -> None:
        """Adds the namespace's tolerations to a new pod, and refuses those that the namespace does not allow."""
        pod = attributes.new
        if attributes.subresource or not isinstance(pod, Pod):
            return
        stored = await self._registry.find("", "v1", "namespaces").get("", attributes.namespace)
        annotations: dict[str, str] = stored.document["metadata"].get("annotations") or {}
        added = tolerations_of(annotations.get(_DEFAULTS, "")) if attributes.operation == "CREATE" else []
        if qos_class(pod.spec) != "BestEffort":
            added.append(Toleration(key=_MEMORY_PRESSURE, operator="Exists", effect="NoSchedule"))
        if added:
            pod.spec.tolerations = merged(pod.spec.tolerations, added)
        allowed = tolerations_of(annotations.get(_ALLOWED, "")) if pod.spec.tolerations else []
        if allowed and not all(any(_covers(a, t) for a in allowed) for t in pod.spec.tolerations):
            whose = "pod tolerations (possibly merged with namespace default tolerations)"
            raise unclassified(f"{whose} conflict with its namespace whitelist")


def tolerations_of(text: str) -> list[Toleration]:
    """The tolerations that an annotation has as JSON. Raises ApiError 500 in the words of Go's decoder."""
    if not text:
        return []
    try:
        data = parse_json(text.encode())
        if not isinstance(data, list | None):
            raise DecodeError(f"json: cannot unmarshal {value_name(data)} into Go value of type []v1.Toleration")
        return [decode(Toleration, item).value for item in data or ()]
    except DecodeError as error:
        raise unclassified(error.message) from None


def merged(first: Sequence[Toleration], second: Sequence[Toleration]) -> list[Toleration]:
    """Both lists without what another toleration covers (``pkg/util/tolerations``: MergeTolerations)."""
    everything = [*first, *second]
    kept: list[Toleration] = []
    for index, toleration in enumerate(everything):
        later = everything[index + 1 :]
        if any(_covers(other, toleration) for other in kept):
            continue
        if not any(other != toleration and _covers(other, toleration) for other in later):
            kept.append(toleration)
    return kept


def _covers(one: Toleration, other: Toleration) -> bool:
    """Whether a toleration tolerates all that another one does (isSuperset)."""
    if one == other:
        return True
    if one.key != other.key and (one.key or one.operator != "Exists"):
        return False
    if one.effect not in ("", other.effect):
        return False
    if one.effect == "NoExecute" and one.tolerationSeconds is not None:
        seconds = other.tolerationSeconds
        if seconds is None or seconds > one.tolerationSeconds:
            return False
    if one.operator in ("Equal", ""):
        return other.operator == "Equal" and other.value == one.value
    return one.operator == "Exists"
