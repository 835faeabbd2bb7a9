from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Quantity
from memkube.apis.resource.v1.devices import DeviceConfiguration, DeviceSelector, DeviceToleration
from memkube.apis.resource.v1.resourceclaims.status_types import ResourceClaimStatus


class CapacityRequirements(ApiModel):
    """Amounts of capacity that a request needs from each of its devices."""

    requests: Annotated[dict[str, Quantity], Named("map[v1.QualifiedName]resource.Quantity")] = Field(
        default_factory=dict,
        description="Amount of each capacity, by its name; the device's default for capacities that are not listed.",
    )


class ExactDeviceRequest(ApiModel):
    """A request for a number of devices of one class, which selectors may limit further."""

    deviceClassName: Annotated[str, Required()] = Field(
        default="", description="Name of the DeviceClass to which the devices must belong."
    )
    selectors: list[DeviceSelector] = Field(
        default_factory=list,
        description="CEL selectors; only devices that match all of them are allocated; at most 32.",
    )
    allocationMode: Annotated[str, Named("v1.DeviceAllocationMode", ("All", "ExactCount"))] = Field(
        default="",
        description="Devices to allocate: as many as `count` (ExactCount, the default), or all that match (All).",
    )
    count: Int64 = Field(
        default=0, description="Number of devices to allocate; only for mode ExactCount; 1 by default."
    )
    adminAccess: bool | None = Field(
        default=None,
        description="True for administrative access, even to devices in use; a label of the namespace must allow it.",
    )
    tolerations: list[DeviceToleration] = Field(
        default_factory=list,
        description="Tolerations with which devices that have taints can be allocated; at most 16.",
    )
    capacity: CapacityRequirements | None = Field(
        default=None, description="Amounts of capacity, such as memory, that each device must provide."
    )


class DeviceSubRequest(ApiModel):
    """One of the alternatives of a device request, of which the first available one is allocated."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the subrequest, by which constraints and configurations refer to it."
    )
    deviceClassName: Annotated[str, Required()] = Field(
        default="", description="Name of the DeviceClass to which the devices must belong."
    )
    selectors: list[DeviceSelector] = Field(
        default_factory=list,
        description="CEL selectors; only devices that match all of them are allocated; at most 32.",
    )
    allocationMode: Annotated[str, Named("v1.DeviceAllocationMode", ("All", "ExactCount"))] = Field(
        default="",
        description="Devices to allocate: as many as `count` (ExactCount, the default), or all that match (All).",
    )
    count: Int64 = Field(
        default=0, description="Number of devices to allocate; only for mode ExactCount; 1 by default."
    )
    tolerations: list[DeviceToleration] = Field(
        default_factory=list,
        description="Tolerations with which devices that have taints can be allocated; at most 16.",
    )
    capacity: CapacityRequirements | None = Field(
        default=None, description="Amounts of capacity, such as memory, that each device must provide."
    )


class DeviceRequest(ApiModel):
    """A request for devices: of one class, or of the first available alternative."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the request, by which containers, constraints and configurations refer to it."
    )
    exactly: ExactDeviceRequest | None = Field(
        default=None, description="Number and class of the devices; mutually exclusive with firstAvailable."
    )
    firstAvailable: list[DeviceSubRequest] = Field(
        default_factory=list, description="Alternative requests in order of preference; at most 8."
    )


class DeviceConstraint(ApiModel):
    """A condition that the devices of several requests must satisfy together, such as an equal attribute."""

    requests: list[str] = Field(
        default_factory=list,
        description="Requests whose devices the constraint covers, or request/subrequest; all requests if empty.",
    )
    matchAttribute: Annotated[str | None, Named("v1.FullyQualifiedName")] = Field(
        default=None, description="Fully qualified attribute that must have the same value on all devices."
    )
    distinctAttribute: Annotated[str | None, Named("v1.FullyQualifiedName")] = Field(
        default=None, description="Fully qualified attribute that must have a different value on each device."
    )


class ConfigurationRequests(ApiModel):
    """The field `requests` of a DeviceClaimConfiguration.

    It is in a base class, so that it comes before the fields of the other base class, DeviceConfiguration, as in the Go
    struct.
    """

    go_struct: ClassVar[bool] = False

    requests: list[str] = Field(
        default_factory=list,
        description="Requests whose devices get the configuration, or request/subrequest; all requests if empty.",
    )


class DeviceClaimConfiguration(DeviceConfiguration, ConfigurationRequests):
    """A configuration that applies to the devices of some or all requests of a claim."""


class DeviceClaim(ApiModel):
    """Requests, constraints and configurations of devices in a claim."""

    requests: Annotated[list[DeviceRequest], Always()] = Field(
        default_factory=list, description="Requests for devices; at most 32."
    )
    constraints: list[DeviceConstraint] = Field(
        default_factory=list,
        description="Conditions that the devices of several requests must satisfy together; at most 32.",
    )
    config: list[DeviceClaimConfiguration] = Field(
        default_factory=list, description="Configurations of the devices that drivers get; at most 32."
    )


class ResourceClaimSpec(ApiModel):
    """Devices that a claim requests."""

    devices: Annotated[DeviceClaim, Always()] = Field(
        default_factory=DeviceClaim,
        description="Requests for devices, with constraints on the devices and their configurations.",
    )


class ResourceClaim(ApiObject):
    """A request for devices, such as GPUs, that pods can use."""

    spec: Annotated[ResourceClaimSpec, Required()] = Field(
        default_factory=ResourceClaimSpec, description="Devices that the claim requests; immutable."
    )
    status: ResourceClaimStatus = Field(
        default_factory=ResourceClaimStatus, description="Allocated devices, and the pods that may use them."
    )
