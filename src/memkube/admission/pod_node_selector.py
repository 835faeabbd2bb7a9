"""PodNodeSelector: adds the node selector in a namespace's annotation to the pods of the namespace."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import ApiError, forbidden, internal_error, unclassified
from memkube.apimachinery.field_errors import invalid
from memkube.apimachinery.names import is_label_value, is_qualified_name
from memkube.apis.core.v1.pods.types import Pod
from memkube.registry.declarations.admission import Attributes

_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/node-selector"


class PodNodeSelector(Plugin):
    """Admission plugin that adds the node selector in a namespace's annotation to the pods of the namespace.

    memkube reads no configuration file with default selectors. Source: ``plugin/pkg/admission/podnodeselector``.
    """

    name: ClassVar[str] = "PodNodeSelector"

    async def mutate(self, attributes: Attributes) -> None:
        """Add the node selector in the namespace's annotation to the pod.

        Raises ApiError if it conflicts with the pod's own node selector.
        """
        pod = attributes.new
        if attributes.subresource or not isinstance(pod, Pod):
            return
        wanted, own = await self._selector(attributes.namespace), pod.spec.nodeSelector
        if any(own.get(key, value) != value for key, value in wanted.items()):
            why = "pod node label selector conflicts with its namespace node label selector"
            raise forbidden(attributes.resource.group_resource, pod.metadata.name, why)
        pod.spec.nodeSelector = {**wanted, **own}

    async def _selector(self, namespace: str) -> dict[str, str]:
        try:
            stored = await self._registry.find("", "v1", "namespaces").get("", namespace)
        except ApiError:
            raise internal_error(f"namespace {namespace} does not exist") from None
        annotations: dict[str, str] = stored.document["metadata"].get("annotations") or {}
        try:
            return labels_of(annotations.get(_ANNOTATION, ""))
        except ValueError as error:
            raise unclassified(str(error)) from None


def labels_of(selector: str) -> dict[str, str]:
    """Parse a selector such as ``a=b,c=d`` into labels (``ConvertSelectorToLabelsMap``).

    Raises ValueError if the selector is malformed.
    """
    found: dict[str, str] = {}
    for requirement in selector.split(",") if selector else ():
        parts = requirement.split("=")
        if len(parts) != 2:
            raise ValueError(f"invalid selector: [{' '.join(parts)}]")
        key, value = (part.strip() for part in parts)
        for path, text, faults in (("<nil>", key, is_qualified_name(key)), (f"[{key}]", value, is_label_value(value))):
            if faults:
                raise ValueError(str(invalid(path, text, "; ".join(faults))))
        found[key] = value
    return found
