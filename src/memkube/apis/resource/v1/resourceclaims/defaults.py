"""Defaults of device requests (``pkg/apis/resource/v1/defaults.go``)."""

from collections.abc import Iterable

from memkube.apis.resource.v1.devices import DeviceToleration
from memkube.apis.resource.v1.resourceclaims.types import DeviceClaim, DeviceSubRequest, ExactDeviceRequest


def default_claim(claim: DeviceClaim) -> None:
    """Set the defaults of a claim's device requests in place: allocation mode ExactCount with one device."""
    for request in claim.requests:
        if request.exactly is not None:
            _default_request(request.exactly)
        for choice in request.firstAvailable:
            _default_request(choice)


def default_tolerations(tolerations: Iterable[DeviceToleration]) -> None:
    """Set the operator of tolerations of device taints to Equal if it is unset."""
    for toleration in tolerations:
        toleration.operator = toleration.operator or "Equal"


def _default_request(request: ExactDeviceRequest | DeviceSubRequest) -> None:
    request.allocationMode = request.allocationMode or "ExactCount"
    if request.allocationMode == "ExactCount":
        request.count = request.count or 1
    default_tolerations(request.tolerations)
