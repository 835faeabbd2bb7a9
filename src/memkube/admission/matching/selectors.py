"""Matching of requests with the namespaceSelector and objectSelector of a webhook or policy."""

from dataclasses import dataclass
from typing import Final

from memkube.admission.matching.rules import namespace_of
from memkube.apimachinery.labels import LabelSelector, from_model
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.model import ApiModel
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.interface import Stores

_OWN_LABELS: Final = ("CREATE", "UPDATE")


@dataclass(frozen=True, slots=True)
class Selectors:
    """The parsed namespaceSelector and objectSelector of a webhook or policy."""

    namespaces: LabelSelector
    objects: LabelSelector

    @classmethod
    def of(cls, namespaces: LabelSelectorModel | None, objects: LabelSelectorModel | None) -> "Selectors":
        """Parse the namespaceSelector and objectSelector of a webhook or policy. Raises ValueError if one is invalid.

        Callers need not expect this error for stored objects, whose selectors were validated when they were written.
        """
        return cls(from_model(namespaces), from_model(objects))

    def match_object(self, attributes: Attributes) -> bool:
        """True if the objectSelector matches the new or the old object of the request."""
        if not self.objects.requirements:
            return True
        return self._selects(attributes.new) or self._selects(attributes.old)

    async def match_namespace(self, attributes: Attributes, stores: Stores) -> bool:
        """True if the namespaceSelector matches the namespace of the request, or if the object is cluster-scoped.

        Raises ApiError (404) if the namespace does not exist.
        """
        resource = attributes.resource
        namespace = namespace_of(attributes)
        if not self.namespaces.requirements or (not namespace and not resource.holds_namespaces):
            return True
        if resource.holds_namespaces and not attributes.subresource and attributes.operation in _OWN_LABELS:
            new = attributes.new
            return isinstance(new, ApiObject) and self.namespaces.matches(new.metadata.labels)
        stored = await stores.find("", "v1", "namespaces").get("", namespace)
        return self.namespaces.matches(stored.labels)

    def _selects(self, obj: ApiModel | None) -> bool:
        return isinstance(obj, ApiObject) and self.objects.matches(obj.metadata.labels)
