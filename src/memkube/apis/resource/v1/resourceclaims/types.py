"""ResourceClaims: devices that are asked for."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Quantity
from memkube.apis.resource.v1.devices import DeviceSelector, DeviceToleration, OpaqueDeviceConfiguration
from memkube.apis.resource.v1.resourceclaims.status_types import ResourceClaimStatus


class CapacityRequirements(ApiModel):
    """How much of a device's capacity a request needs."""

    requests: dict[str, Quantity] = Field(
        default_factory=dict, description="Amounts by the names of capacities; of others the device's default is taken."
    )


class ExactDeviceRequest(ApiModel):
    """Devices of one sort."""

    deviceClassName: Annotated[str, Required()] = Field(default="", description="DeviceClass of the devices.")
    selectors: list[DeviceSelector] = Field(
        default_factory=list, description="What devices must fit, besides the class; all of them count, at most 32."
    )
    allocationMode: Annotated[str, Named("v1.DeviceAllocationMode", ("All", "ExactCount"))] = Field(
        default="", description="ExactCount (the default) for so many devices, All for every one of a pool."
    )
    count: Int64 = Field(default=0, description="How many devices, for ExactCount; 1 if not given.")
    adminAccess: bool | None = Field(
        default=None,
        description="Whether devices in use by others are given too; needs a label on the namespace.",
    )
    tolerations: list[DeviceToleration] = Field(
        default_factory=list, description="Taints of devices that the request does not mind; at most 16."
    )
    capacity: CapacityRequirements | None = Field(
        default=None, description="How much of each device's capacity is needed."
    )


class DeviceSubRequest(ApiModel):
    """One of several sorts of devices that would do."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name within the request, for constraints and configurations."
    )
    deviceClassName: Annotated[str, Required()] = Field(default="", description="DeviceClass of the devices.")
    selectors: list[DeviceSelector] = Field(
        default_factory=list, description="What devices must fit, besides the class; all of them count, at most 32."
    )
    allocationMode: Annotated[str, Named("v1.DeviceAllocationMode", ("All", "ExactCount"))] = Field(
        default="", description="ExactCount (the default) for so many devices, All for every one of a pool."
    )
    count: Int64 = Field(default=0, description="How many devices, for ExactCount; 1 if not given.")
    tolerations: list[DeviceToleration] = Field(
        default_factory=list, description="Taints of devices that the request does not mind; at most 16."
    )
    capacity: CapacityRequirements | None = Field(
        default=None, description="How much of each device's capacity is needed."
    )


class DeviceRequest(ApiModel):
    """Devices that are needed for one purpose: of one sort, or of the first of several that can be had."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name within the claim, for containers, constraints and configurations."
    )
    exactly: ExactDeviceRequest | None = Field(default=None, description="Devices of one sort.")
    firstAvailable: list[DeviceSubRequest] = Field(
        default_factory=list, description="Sorts that would do, the most wanted first; at most 8."
    )


class DeviceConstraint(ApiModel):
    """What devices of some requests must have in common, or must not."""

    requests: list[str] = Field(
        default_factory=list, description="Requests, or subrequests as request/subrequest; all if empty."
    )
    matchAttribute: Annotated[str | None, Named("v1.FullyQualifiedName")] = Field(
        default=None, description="Attribute, with its domain, that has the same value on all of the devices."
    )
    distinctAttribute: Annotated[str | None, Named("v1.FullyQualifiedName")] = Field(
        default=None, description="Attribute, with its domain, that has another value on each of the devices."
    )


class DeviceClaimConfiguration(ApiModel):
    """A configuration of the devices of some requests."""

    requests: list[str] = Field(
        default_factory=list, description="Requests, or subrequests as request/subrequest; all if empty."
    )
    opaque: OpaqueDeviceConfiguration | None = Field(default=None, description="What a driver is told.")


class DeviceClaim(ApiModel):
    """The devices of a claim."""

    requests: Annotated[list[DeviceRequest], Always()] = Field(
        default_factory=list, description="Devices for each purpose; at most 32."
    )
    constraints: list[DeviceConstraint] = Field(
        default_factory=list, description="What the devices must have in common, or must not; at most 32."
    )
    config: list[DeviceClaimConfiguration] = Field(
        default_factory=list, description="Configurations of the devices; at most 32."
    )


class ResourceClaimSpec(ApiModel):
    """What a claim asks for."""

    devices: Annotated[DeviceClaim, Always()] = Field(
        default_factory=DeviceClaim, description="Devices that are asked for."
    )


class ResourceClaim(ApiObject):
    """Devices that are asked for, and those that were given."""

    spec: Annotated[ResourceClaimSpec, Required()] = Field(
        default_factory=ResourceClaimSpec, description="What the claim asks for; it never changes."
    )
    status: ResourceClaimStatus = Field(
        default_factory=ResourceClaimStatus, description="What was given, and who may use it."
    )
