"""Strategy of ResourceQuotas. The admission plugin ResourceQuota enforces them."""

from typing import ClassVar

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.podspec.defaults import default_resource_list
from memkube.apis.core.v1.resourcequotas.types import ResourceQuota, ResourceQuotaStatus
from memkube.apis.core.v1.resourcequotas.validation import (
    request_warnings,
    validate_resource_quota,
    validate_resource_quota_status_update,
    validate_resource_quota_update,
)
from memkube.registry.declarations.strategy import FieldPaths, StatusStrategy, Strategy


class ResourceQuotaStrategy(Strategy[ResourceQuota]):
    """Defaults and validates ResourceQuotas that clients create and update; they cannot set the status.

    Source: ``pkg/registry/core/resourcequota/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    validate = staticmethod(validate_resource_quota)
    warnings_on_create = staticmethod(request_warnings)
    validate_update = staticmethod(validate_resource_quota_update)

    def default(self, obj: ResourceQuota) -> None:
        for resources in (obj.spec.hard, obj.status.hard, obj.status.used):
            default_resource_list(resources)

    def prepare_for_create(self, obj: ResourceQuota, now: Time) -> list[str]:
        """Clear the status of a new ResourceQuota."""
        obj.status = ResourceQuotaStatus()
        return []

    def prepare_for_update(self, new: ResourceQuota, old: ResourceQuota) -> None:
        """Discard an update's changes to ``status``, which only the ``status`` subresource may write."""
        new.status = old.status


class ResourceQuotaStatusStrategy(StatusStrategy[ResourceQuota], ResourceQuotaStrategy):
    """Strategy for writing the ``status`` subresource of ResourceQuotas, which cannot change the spec."""

    validate_update = staticmethod(validate_resource_quota_status_update)
