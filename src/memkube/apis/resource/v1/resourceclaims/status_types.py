"""What a ResourceClaim was given."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity, Raw, Time
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelector
from memkube.apis.resource.v1.devices import DeviceToleration, OpaqueDeviceConfiguration


class DeviceRequestAllocationResult(ApiModel):
    """A device that was given for a request."""

    request: Annotated[str, Required()] = Field(
        default="", description="The request, or the subrequest as request/subrequest."
    )
    driver: Annotated[str, Required()] = Field(default="", description="Driver of the device.")
    pool: Annotated[str, Required()] = Field(default="", description="Pool that the device is in.")
    device: Annotated[str, Required()] = Field(default="", description="Name of the device in its pool.")
    adminAccess: bool | None = Field(default=None, description="Whether others may be using the device too.")
    tolerations: list[DeviceToleration] = Field(
        default_factory=list, description="Taints that the request does not mind; at most 16."
    )
    bindingConditions: list[str] = Field(
        default_factory=list, description="Conditions of the device that pods wait for before they are bound."
    )
    bindingFailureConditions: list[str] = Field(
        default_factory=list, description="Conditions of the device that say that it cannot be made ready."
    )
    shareID: Annotated[str | None, Named("types.UID")] = Field(
        default=None, description="UUID of this share, if the device is given several times."
    )
    consumedCapacity: dict[str, Quantity] = Field(
        default_factory=dict, description="Amounts of the device's capacities that the claim uses."
    )


class DeviceAllocationConfiguration(ApiModel):
    """A configuration of the devices that were given."""

    source: Annotated[str, Named("v1.AllocationConfigSource", ("FromClaim", "FromClass")), Required()] = Field(
        default="", description="FromClass or FromClaim: where the configuration comes from."
    )
    requests: list[str] = Field(
        default_factory=list, description="Requests, or subrequests as request/subrequest; all if empty."
    )
    opaque: OpaqueDeviceConfiguration | None = Field(default=None, description="What a driver is told.")


class DeviceAllocationResult(ApiModel):
    """The devices that were given, with their configurations."""

    results: list[DeviceRequestAllocationResult] = Field(default_factory=list, description="The devices; at most 32.")
    config: list[DeviceAllocationConfiguration] = Field(
        default_factory=list, description="Their configurations, those of classes first; at most 64."
    )


class AllocationResult(ApiModel):
    """What was given, and where it can be used."""

    devices: DeviceAllocationResult = Field(
        default_factory=DeviceAllocationResult, description="The devices that were given."
    )
    nodeSelector: NodeSelector | None = Field(
        default=None, description="Nodes that the devices can be used on; all if not given."
    )
    allocationTimestamp: Time | None = Field(default=None, description="When the devices were given.")


class ResourceClaimConsumerReference(ApiModel):
    """Someone who may use the devices, mostly a pod."""

    apiGroup: str = Field(default="", description="API group of the resource; empty for the core group.")
    resource: Annotated[str, Required()] = Field(default="", description="Resource of the consumer, such as pods.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the consumer.")
    uid: Annotated[str, Named("types.UID"), Required()] = Field(default="", description="UID of the consumer.")


class NetworkDeviceData(ApiModel):
    """What is known of a network device."""

    interfaceName: str = Field(default="", description="Name of the network interface; at most 256 bytes.")
    ips: list[str] = Field(
        default_factory=list, description="Addresses of the interface with their prefix lengths; at most 16."
    )
    hardwareAddress: str = Field(default="", description="Hardware address of the interface; at most 128 bytes.")


class AllocatedDeviceStatus(ApiModel):
    """What a driver tells of a device that was given."""

    driver: Annotated[str, Required()] = Field(default="", description="Driver of the device.")
    pool: Annotated[str, Required()] = Field(default="", description="Pool that the device is in.")
    device: Annotated[str, Required()] = Field(default="", description="Name of the device in its pool.")
    shareID: str | None = Field(default=None, description="UUID of the share, if the device is given several times.")
    conditions: Annotated[list[Condition], MapList(("type",)), Always()] = Field(
        default_factory=list, description="State of the device, by condition types; at most 8."
    )
    data: Annotated[Raw | None, Named("runtime.RawExtension")] = Field(
        default=None, description="What else the driver tells: any object, of at most 10 KiB."
    )
    networkData: NetworkDeviceData | None = Field(default=None, description="What is known of a network device.")


class ResourceClaimStatus(ApiModel):
    """What a claim was given, and who may use it."""

    allocation: AllocationResult | None = Field(
        default=None, description="What was given; it does not change, but can be taken back."
    )
    reservedFor: Annotated[list[ResourceClaimConsumerReference], MapList(("uid",)), Merge("uid")] = Field(
        default_factory=list, description="Who may use the devices; at most 256."
    )
    devices: Annotated[list[AllocatedDeviceStatus], MapList(("driver", "device", "pool", "shareID"))] = Field(
        default_factory=list, description="What drivers tell of the devices."
    )
