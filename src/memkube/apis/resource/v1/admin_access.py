"""Admin access to devices: access to devices that other claims use (``pkg/registry/resource/utils.go``).

Such access is allowed only in namespaces with the label ``resource.kubernetes.io/admin-access: true``.
"""

from collections.abc import Iterable
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, internal_error
from memkube.apis.resource.v1.resourceclaims.status_types import AllocationResult
from memkube.apis.resource.v1.resourceclaims.types import DeviceClaim
from memkube.registry.declarations.interface import Stores

_LABEL: Final = "resource.kubernetes.io/admin-access"


def requested_access(claim: DeviceClaim) -> FieldPath | None:
    """Return the field path of the first request for admin access in a claim; None if there is none.

    As in kube-apiserver, the path is the path in a ResourceClaim, even if the claim is in a ResourceClaimTemplate.
    """
    asked = (request.exactly is not None and bool(request.exactly.adminAccess) for request in claim.requests)
    return _first(asked, FieldPath("spec.devices.requests"))


def granted_access(allocation: AllocationResult | None) -> FieldPath | None:
    """Return the field path of the first allocated device with admin access; None if there is none."""
    given = (bool(result.adminAccess) for result in allocation.devices.results) if allocation else ()
    return _first(given, FieldPath("status.allocation.devices.results"))


async def validate_access(stores: Stores, namespace: str, path: FieldPath) -> list[FieldError]:
    """Validate that a namespace has the label which allows admin access to devices.

    `path` is the path of the field that requests or grants the access, for the error.
    """
    try:
        stored = await stores.find("", "v1", "namespaces").get("", namespace)
    except ApiError as error:
        return [internal_error(path, f"could not retrieve namespace to verify admin access: {error.message}")]
    if stored.labels.get(_LABEL) == "true":
        return []
    detail = f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"
    return [forbidden(path, detail)]


def _first(flags: Iterable[bool], path: FieldPath) -> FieldPath | None:
    index = next((index for index, flag in enumerate(flags) if flag), None)
    return None if index is None else path.item(index).child("adminAccess")
