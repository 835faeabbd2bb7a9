from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.pods.strategy_rules import drop_disabled_fields
from memkube.apis.core.v1.podspec.defaults import default_pod_template
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec
from memkube.apis.core.v1.podspec.warnings.pod_template import pod_template_warnings
from memkube.apis.core.v1.podtemplates.types import PodTemplate
from memkube.registry.declarations.strategy import Strategy

_TEMPLATE: Final = FieldPath("template")


class PodTemplateStrategy(Strategy[PodTemplate]):
    """Defaults and validates PodTemplates that clients create and update.

    Source: ``pkg/registry/core/podtemplate/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True

    def default(self, obj: PodTemplate) -> None:
        default_pod_template(obj.template)

    def prepare_for_create(self, obj: PodTemplate, now: Time) -> list[str]:
        """Set the generation of a new PodTemplate to 1, and clear fields whose features are disabled by default."""
        obj.metadata.generation = 1
        drop_disabled_fields(obj.template.spec)
        return []

    def validate(self, obj: PodTemplate) -> list[FieldError]:
        errors = validate_metadata(obj.metadata, subdomain_name, namespaced=True)
        return errors + validate_pod_template_spec(obj.template, _TEMPLATE)

    def warnings_on_create(self, obj: PodTemplate) -> list[str]:
        """Return warnings about the pod template in a new PodTemplate."""
        return pod_template_warnings(obj.template, _TEMPLATE)

    def prepare_for_update(self, new: PodTemplate, old: PodTemplate) -> None:
        """Clear fields of disabled features, and increment the generation of a PodTemplate if its template changed."""
        drop_disabled_fields(new.template.spec)
        if new.template != old.template:
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: PodTemplate, old: PodTemplate) -> list[FieldError]:
        errors = validate_metadata_update(new.metadata, old.metadata)
        return errors + validate_pod_template_spec(new.template, _TEMPLATE)

    def warnings_on_update(self, new: PodTemplate, old: PodTemplate) -> list[str]:
        """Return warnings about the pod template if an update of the PodTemplate changed it."""
        return self.warnings_on_create(new) if new.metadata.generation != old.metadata.generation else []
