"""DefaultIngressClass: an ingress without a class gets the newest one that is marked as the default."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.networking.v1.ingressclasses.columns import DEFAULT_ANNOTATION
from memkube.apis.networking.v1.ingresses.types import Ingress
from memkube.apis.networking.v1.ingresses.validation import CLASS_ANNOTATION
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.request_options import EVERYTHING
from memkube.registry.objects.stored import StoredObject


class DefaultIngressClass(Plugin):
    """Source: ``plugin/pkg/admission/network/defaultingressclass``."""

    name: ClassVar[str] = "DefaultIngressClass"

    async def mutate(self, attributes: Attributes) -> None:
        """Sets the class of a new ingress, unless its spec or its annotation tells one."""
        ingress = attributes.new
        if attributes.subresource or not isinstance(ingress, Ingress):
            return
        if ingress.spec.ingressClassName is not None or CLASS_ANNOTATION in ingress.metadata.annotations:
            return
        if name := await self._default_class():
            ingress.spec.ingressClassName = name

    async def _default_class(self) -> str:
        """The name of the newest default class, the first by name of those of one second; none if there is none."""
        classes = await self._registry.find("networking.k8s.io", "v1", "ingressclasses").list("", EVERYTHING)
        # They come by name.
        defaults = [stored for stored in classes.items if _is_default(stored)]
        newest = max(defaults, key=lambda stored: str(stored.document["metadata"]["creationTimestamp"]), default=None)
        return "" if newest is None else newest.name


def _is_default(stored: StoredObject) -> bool:
    annotations = stored.document["metadata"].get("annotations") or {}
    return bool(annotations.get(DEFAULT_ANNOTATION) == "true")
