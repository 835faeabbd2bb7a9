"""Status types of ResourceClaims: allocations and devices."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity, Raw, Time
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelector
from memkube.apis.resource.v1.devices import DeviceConfiguration, DeviceToleration


class DeviceRequestAllocationResult(ApiModel):
    """A device that was allocated for a request of a claim."""

    request: Annotated[str, Required()] = Field(
        default="", description="Request for which the device was allocated: its name, or request/subrequest."
    )
    driver: Annotated[str, Required()] = Field(default="", description="Name of the driver that manages the device.")
    pool: Annotated[str, Required()] = Field(default="", description="Name of the pool that contains the device.")
    device: Annotated[str, Required()] = Field(default="", description="Name of the device, unique in its pool.")
    adminAccess: bool | None = Field(default=None, description="True if the device was allocated with admin access.")
    tolerations: list[DeviceToleration] = Field(
        default_factory=list,
        description="Tolerations of device taints, copied from the request at the allocation; at most 16.",
    )
    bindingConditions: list[str] = Field(
        default_factory=list, description="Types of device conditions, all of which must be True before a pod is bound."
    )
    bindingFailureConditions: list[str] = Field(
        default_factory=list,
        description="Types of device conditions; the binding of a pod fails if one of them is True.",
    )
    shareID: Annotated[str | None, Named("types.UID")] = Field(
        default=None, description="UUID of this allocation of the device, if the device may have several."
    )
    consumedCapacity: Annotated[dict[str, Quantity], Named("map[v1.QualifiedName]resource.Quantity")] = Field(
        default_factory=dict, description="Amounts of the device's capacities that the claim consumes."
    )


class ConfigurationSource(ApiModel):
    """The fields `source` and `requests` of a DeviceAllocationConfiguration.

    They are in a base class, so that they come before the fields of the other base class, DeviceConfiguration, as in
    the Go struct.
    """

    go_struct: ClassVar[bool] = False

    source: Annotated[str, Named("v1.AllocationConfigSource", ("FromClaim", "FromClass")), Required()] = Field(
        default="", description="Origin of the configuration: the device class (FromClass) or the claim (FromClaim)."
    )
    requests: list[str] = Field(
        default_factory=list,
        description="Requests whose devices get the configuration, or request/subrequest; all requests if empty.",
    )


class DeviceAllocationConfiguration(DeviceConfiguration, ConfigurationSource):
    """Configuration of allocated devices, with its origin: the claim or the device class."""


class DeviceAllocationResult(ApiModel):
    """Allocated devices and their configurations."""

    results: list[DeviceRequestAllocationResult] = Field(
        default_factory=list, description="Devices that were allocated for the claim's requests; at most 32."
    )
    config: list[DeviceAllocationConfiguration] = Field(
        default_factory=list,
        description="Configurations of the devices, those from device classes before those from the claim; at most 64.",
    )


class AllocationResult(ApiModel):
    """Allocated devices and the nodes on which they are available."""

    devices: DeviceAllocationResult = Field(
        default_factory=DeviceAllocationResult, description="Allocated devices and their configurations."
    )
    nodeSelector: NodeSelector | None = Field(
        default=None, description="Nodes on which the devices are available; all if unset."
    )
    allocationTimestamp: Time | None = Field(default=None, description="Time when the devices were allocated.")


class ResourceClaimConsumerReference(ApiModel):
    """Reference to an object that may use the devices of a claim, usually a pod."""

    apiGroup: str = Field(
        default="",
        description="API group of the pod or other object that may use the devices; empty for the core group.",
    )
    resource: Annotated[str, Required()] = Field(
        default="", description="Plural name of the consumer's resource, such as pods."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the pod or other object that may use the devices."
    )
    uid: Annotated[str, Named("types.UID"), Required()] = Field(
        default="", description="UID of the pod or other object that may use the devices."
    )


class NetworkDeviceData(ApiModel):
    """Name and addresses of the network interface of an allocated device."""

    interfaceName: str = Field(default="", description="Name of the network interface; at most 256 bytes.")
    ips: list[str] = Field(
        default_factory=list, description="IP addresses of the network interface, such as 192.0.2.5/24; at most 16."
    )
    hardwareAddress: str = Field(
        default="",
        description="Hardware address, such as the MAC address, of the network interface; at most 128 bytes.",
    )


class AllocatedDeviceStatus(ApiModel):
    """State of an allocated device, reported by its driver."""

    driver: Annotated[str, Required()] = Field(default="", description="Name of the driver that manages the device.")
    pool: Annotated[str, Required()] = Field(default="", description="Name of the pool that contains the device.")
    device: Annotated[str, Required()] = Field(default="", description="Name of the device, unique in its pool.")
    shareID: str | None = Field(
        default=None, description="UUID of the allocation of the device, if the device may have several."
    )
    conditions: Annotated[list[Condition], MapList(("type",)), Always()] = Field(
        default_factory=list, description="Conditions that the driver reports about the device; at most 8."
    )
    data: Annotated[Raw | None, Named("runtime.RawExtension")] = Field(
        default=None, description="Data that the driver reports about the device: any JSON object of at most 10 KiB."
    )
    networkData: NetworkDeviceData | None = Field(
        default=None, description="Name and addresses of the device's network interface, for network devices."
    )


class ResourceClaimStatus(ApiModel):
    """Allocation of a ResourceClaim, and the pods that may use its devices."""

    allocation: AllocationResult | None = Field(
        default=None, description="Allocated devices; once set, the allocation can only be removed."
    )
    reservedFor: Annotated[list[ResourceClaimConsumerReference], MapList(("uid",)), Merge("uid")] = Field(
        default_factory=list, description="Pods or other objects that may use the devices; at most 256."
    )
    devices: Annotated[list[AllocatedDeviceStatus], MapList(("driver", "device", "pool", "shareID"))] = Field(
        default_factory=list, description="State of each allocated device, reported by its driver."
    )
