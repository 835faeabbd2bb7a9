from typing import ClassVar, Final

from memkube.apimachinery.errors import invalid as invalid_object
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.validation.volumes import validate_template_metadata
from memkube.apis.resource.v1.admin_access import requested_access, validate_access
from memkube.apis.resource.v1.resourceclaims.defaults import default_claim
from memkube.apis.resource.v1.resourceclaims.validation import validate_spec
from memkube.apis.resource.v1.resourceclaimtemplates.types import ResourceClaimTemplate
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy

_SPEC: Final = FieldPath("spec")


class ResourceClaimTemplateStrategy(Strategy[ResourceClaimTemplate]):
    """Rules for writing ResourceClaimTemplates: defaults, validation, admin access, and the immutable spec.

    Source: ``pkg/registry/resource/resourceclaimtemplate/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True

    def default(self, obj: ResourceClaimTemplate) -> None:
        default_claim(obj.spec.spec.devices)

    async def begin_create(self, stores: Stores, obj: ResourceClaimTemplate, context: WriteContext) -> Finish | None:
        """Raise ApiError if a new template requests admin access that its namespace does not allow."""
        path = requested_access(obj.spec.spec.devices)
        errors = await validate_access(stores, obj.metadata.namespace, path) if path is not None else []
        if errors:
            errors += self.validate(obj)
            raise invalid_object("resource.k8s.io", "ResourceClaimTemplate", obj.metadata.name, errors)
        return None

    def validate(self, obj: ResourceClaimTemplate) -> list[FieldError]:
        errors = validate_metadata(obj.metadata, subdomain_name, namespaced=True)
        errors += validate_template_metadata(obj.spec.metadata, _SPEC.child("metadata"))
        return errors + validate_spec(obj.spec.spec, _SPEC.child("spec"))

    def validate_update(self, new: ResourceClaimTemplate, old: ResourceClaimTemplate) -> list[FieldError]:
        """Validate an update of a ResourceClaimTemplate: the spec is immutable."""
        errors = self.validate(new) + validate_metadata_update(new.metadata, old.metadata)
        if new.spec != old.spec:
            errors.append(invalid(_SPEC, InternalValue(new.spec), FIELD_IMMUTABLE))
        return errors
