"""PodTolerationRestriction: annotations of a namespace give its pods tolerations, and restrict which they may have."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import parse_json, value_name
from memkube.apimachinery.errors import unclassified
from memkube.apimachinery.forms import ModelForm
from memkube.apis.core.v1.pods.status import qos_class
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.tolerations import covers, merged_tolerations
from memkube.apis.core.v1.podspec.types.scheduling import Toleration
from memkube.registry.declarations.admission import Attributes

_DEFAULTS: Final = "scheduler.alpha.kubernetes.io/defaultTolerations"
_ALLOWED: Final = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
_MEMORY_PRESSURE: Final = "node.kubernetes.io/memory-pressure"


class PodTolerationRestriction(Plugin):
    """Admission plugin for two annotations of namespaces: default tolerations of pods, and a whitelist of tolerations.

    kube-apiserver can read cluster-wide defaults for both from a configuration file; memkube reads no such file.
    Source: ``plugin/pkg/admission/podtolerationrestriction``.
    """

    name: ClassVar[str] = "PodTolerationRestriction"

    async def mutate(self, attributes: Attributes) -> None:
        """Add the default tolerations of the namespace to a new pod.

        Raises ApiError if the pod has tolerations that are not on the namespace's whitelist.
        """
        pod = attributes.new
        if attributes.subresource or not isinstance(pod, Pod):
            return
        stored = await self._registry.find("", "v1", "namespaces").get("", attributes.namespace)
        annotations: dict[str, str] = stored.document["metadata"].get("annotations") or {}
        added = tolerations_of(annotations.get(_DEFAULTS, "")) if attributes.operation == "CREATE" else []
        if qos_class(pod.spec) != "BestEffort":
            added.append(Toleration(key=_MEMORY_PRESSURE, operator="Exists", effect="NoSchedule"))
        if added:
            pod.spec.tolerations = merged_tolerations(pod.spec.tolerations, added)
        allowed = tolerations_of(annotations.get(_ALLOWED, "")) if pod.spec.tolerations else []
        if allowed and not all(any(covers(a, t) for a in allowed) for t in pod.spec.tolerations):
            raise unclassified(
                "pod tolerations (possibly merged with namespace default tolerations) "
                "conflict with its namespace whitelist"
            )


def tolerations_of(text: str) -> list[Toleration]:
    """Parse an annotation that contains a JSON list of tolerations. Raises ApiError (500) if it is malformed."""
    if not text:
        return []
    try:
        data = parse_json(text.encode())
        if not isinstance(data, list | None):
            raise DecodeError(f"json: cannot unmarshal {value_name(data)} into Go value of type []v1.Toleration")
        return [ModelForm(Toleration).decode(item).value for item in data or ()]
    except DecodeError as error:
        raise unclassified(error.message) from None
