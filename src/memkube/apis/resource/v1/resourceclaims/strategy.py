from typing import ClassVar, Final

from memkube.apimachinery.errors import invalid as invalid_object
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import reset_metadata_for_status, validate_metadata, validate_metadata_update
from memkube.apis.resource.v1.admin_access import granted_access, requested_access, validate_access
from memkube.apis.resource.v1.resourceclaims.defaults import default_claim, default_tolerations
from memkube.apis.resource.v1.resourceclaims.status_authorization import authorize_binding, authorize_devices
from memkube.apis.resource.v1.resourceclaims.status_types import ResourceClaimStatus
from memkube.apis.resource.v1.resourceclaims.status_validation import allocated_devices, device_id, validate_status
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaim
from memkube.apis.resource.v1.resourceclaims.validation import validate_spec
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, StatusStrategy, Strategy

_SPEC: Final = FieldPath("spec")


class ResourceClaimStrategy(Strategy[ResourceClaim]):
    """Rules for writing ResourceClaims: defaults, validation, admin access, and the immutable spec.

    Source: ``pkg/registry/resource/resourceclaim/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def default(self, obj: ResourceClaim) -> None:
        default_claim(obj.spec.devices)
        if obj.status.allocation is not None:
            for result in obj.status.allocation.devices.results:
                default_tolerations(result.tolerations)

    async def begin_create(self, stores: Stores, obj: ResourceClaim, context: WriteContext) -> Finish | None:
        """Raise ApiError if a new claim requests admin access that its namespace does not allow."""
        path = requested_access(obj.spec.devices)
        errors = await validate_access(stores, obj.metadata.namespace, path) if path is not None else []
        if errors:
            raise invalid_object("resource.k8s.io", "ResourceClaim", obj.metadata.name, errors + self.validate(obj))
        return None

    def prepare_for_create(self, obj: ResourceClaim, now: Time) -> list[str]:
        """Clear the status of a new claim."""
        obj.status = ResourceClaimStatus()
        return []

    def validate(self, obj: ResourceClaim) -> list[FieldError]:
        return validate_metadata(obj.metadata, subdomain_name, namespaced=True) + validate_spec(obj.spec, _SPEC)

    def prepare_for_update(self, new: ResourceClaim, old: ResourceClaim) -> None:
        """Discard an update's changes to ``status``, which only the ``status`` subresource may write."""
        new.status = old.status

    def validate_update(self, new: ResourceClaim, old: ResourceClaim) -> list[FieldError]:
        """Validate an update of a ResourceClaim: the spec is immutable."""
        errors = validate_metadata(new.metadata, subdomain_name, namespaced=True)
        errors += validate_metadata_update(new.metadata, old.metadata)
        if new.spec != old.spec:
            errors.append(invalid(_SPEC, InternalValue(new.spec), FIELD_IMMUTABLE))
        return errors


class ResourceClaimStatusStrategy(StatusStrategy[ResourceClaim], ResourceClaimStrategy):
    """Strategy for writing the ``status`` subresource of ResourceClaims, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("metadata",), ("spec",))

    async def begin_update(
        self, stores: Stores, new: ResourceClaim, old: ResourceClaim, context: WriteContext
    ) -> Finish | None:
        """Raise ApiError 422 if the user lacks the rights for the changed fields.

        The same error is raised if a newly allocated device has admin access that the namespace does not allow.
        """
        # Prepare the claim first: the user needs rights only for the changes that are stored.
        self.prepare_for_update(new, old)
        errors = []
        path = granted_access(new.status.allocation)
        if path is not None and granted_access(old.status.allocation) is None:
            errors += await validate_access(stores, old.metadata.namespace, path)
        errors += await authorize_binding(stores, new.status, old.status, context)
        if new.status.allocation is not None:
            # Without an allocation, `prepare_for_update` removes all device entries, which needs no right.
            errors += await authorize_devices(stores, new.status, old.status, context)
        if errors:
            errors += self.validate_update(new, old)
            raise invalid_object("resource.k8s.io", "ResourceClaim", old.metadata.name, errors)
        return None

    def prepare_for_update(self, new: ResourceClaim, old: ResourceClaim) -> None:
        """Discard the changes of a ResourceClaim's status update to spec and metadata.

        Status entries of devices that are no longer allocated are removed.
        """
        new.spec = old.spec
        reset_metadata_for_status(new.metadata, old.metadata)
        gone = allocated_devices(old.status.allocation) - allocated_devices(new.status.allocation)
        new.status.devices = [device for device in new.status.devices if device_id(device) not in gone]

    def validate_update(self, new: ResourceClaim, old: ResourceClaim) -> list[FieldError]:
        return validate_metadata_update(new.metadata, old.metadata) + validate_status(new, old)
