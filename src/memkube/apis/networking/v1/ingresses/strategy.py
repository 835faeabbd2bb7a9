from typing import Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.ip_addresses import ip_warnings
from memkube.apimachinery.shown_values import quoted
from memkube.apis.networking.v1.ingresses.types import Ingress
from memkube.apis.networking.v1.ingresses.validation import (
    CLASS_ANNOTATION,
    validate_ingress,
    validate_ingress_status_update,
    validate_ingress_update,
)
from memkube.registry.declarations.strategy import SpecStrategy, StatusStrategy

_POINTS: Final = FieldPath("status").child("loadBalancer").child("ingress")


class IngressStrategy(SpecStrategy[Ingress]):
    """Validation of Ingresses, and the warning about the deprecated class annotation.

    Source: ``pkg/registry/networking/ingress/strategy.go``.
    """

    validate = staticmethod(validate_ingress)
    validate_update = staticmethod(validate_ingress_update)

    def warnings_on_create(self, obj: Ingress) -> list[str]:
        """Warn about the deprecated annotation ``kubernetes.io/ingress.class`` of an ingress."""
        if CLASS_ANNOTATION not in obj.metadata.annotations or obj.spec.ingressClassName is not None:
            return []
        return [f"annotation {quoted(CLASS_ANNOTATION)} is deprecated, please use 'spec.ingressClassName' instead"]


class IngressStatusStrategy(StatusStrategy[Ingress], IngressStrategy):
    """Strategy for writing the ``status`` subresource of Ingresses, which cannot change the spec."""

    validate_update = staticmethod(validate_ingress_status_update)

    def warnings_on_update(self, new: Ingress, old: Ingress) -> list[str]:
        """Warn about IP addresses in the status of an ingress that are not in canonical form."""
        warnings: list[str] = []
        for index, point in enumerate(new.status.loadBalancer.ingress):
            if point.ip:
                warnings += ip_warnings(_POINTS.item(index), point.ip)
        return warnings
