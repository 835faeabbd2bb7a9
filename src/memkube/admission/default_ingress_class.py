"""DefaultIngressClass: sets the default IngressClass in Ingresses without one."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.networking.v1.ingressclasses.columns import DEFAULT_ANNOTATION
from memkube.apis.networking.v1.ingresses.types import Ingress
from memkube.apis.networking.v1.ingresses.validation import CLASS_ANNOTATION
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.request_options import EVERYTHING
from memkube.registry.objects.stored import StoredObject


class DefaultIngressClass(Plugin):
    """Admission plugin that sets the default IngressClass in Ingresses without one.

    Source: ``plugin/pkg/admission/network/defaultingressclass``.
    """

    name: ClassVar[str] = "DefaultIngressClass"

    async def mutate(self, attributes: Attributes) -> None:
        """Set the default IngressClass in a new Ingress that names no class in its spec or annotation."""
        ingress = attributes.new
        if attributes.subresource or not isinstance(ingress, Ingress):
            return
        if ingress.spec.ingressClassName is not None or CLASS_ANNOTATION in ingress.metadata.annotations:
            return
        if name := await self._default_class():
            ingress.spec.ingressClassName = name

    async def _default_class(self) -> str:
        """Return the name of the newest default IngressClass, or "" if there is none.

        Among classes of equal age, the first by name is used.
        """
        classes = await self._registry.find("networking.k8s.io", "v1", "ingressclasses").list("", EVERYTHING)
        # The list is sorted by name, so `max` returns the first name among classes of equal age.
        defaults = [stored for stored in classes.items if _is_default(stored)]
        newest = max(defaults, key=lambda stored: str(stored.document["metadata"]["creationTimestamp"]), default=None)
        return "" if newest is None else newest.name


def _is_default(stored: StoredObject) -> bool:
    annotations = stored.document["metadata"].get("annotations") or {}
    return bool(annotations.get(DEFAULT_ANNOTATION) == "true")
