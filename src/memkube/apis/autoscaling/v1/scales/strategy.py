from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.names import subdomain_name
from memkube.apis.autoscaling.v1.scales.types import Scale
from memkube.apis.core.v1.metadata import validate_metadata
from memkube.registry.declarations.strategy import Strategy


class ScaleStrategy(Strategy[Scale]):
    """Rules for writing Scales: valid metadata, and at least 0 replicas (``pkg/apis/autoscaling/validation``)."""

    def validate(self, obj: Scale) -> list[FieldError]:
        errors = validate_metadata(obj.metadata, subdomain_name, namespaced=True)
        return errors + validate_nonnegative(obj.spec.replicas, FieldPath("spec.replicas"))
