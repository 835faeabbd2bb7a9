"""ResourceClaims: devices that are asked for."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Quantity, Raw, Time
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelector


class CELDeviceSelector(ApiModel):
    """TODO."""

    expression: Annotated[str, Required()] = Field(default="", description="TODO")


class DeviceSelector(ApiModel):
    """TODO."""

    cel: CELDeviceSelector | None = Field(default=None, description="TODO")


class DeviceToleration(ApiModel):
    """TODO."""

    key: str = Field(default="", description="TODO")
    operator: Annotated[str, Named("v1.DeviceTolerationOperator", ("Equal", "Exists")), Default("Equal")] = Field(
        default="", description="TODO"
    )
    value: str = Field(default="", description="TODO")
    effect: Annotated[str, Named("v1.DeviceTaintEffect", ("NoExecute", "NoSchedule", "None"))] = Field(
        default="", description="TODO"
    )
    tolerationSeconds: Int64 | None = Field(default=None, description="TODO")


class CapacityRequirements(ApiModel):
    """TODO."""

    requests: dict[str, Quantity] = Field(default_factory=dict, description="TODO")


class ExactDeviceRequest(ApiModel):
    """TODO."""

    deviceClassName: Annotated[str, Required()] = Field(default="", description="TODO")
    selectors: list[DeviceSelector] = Field(default_factory=list, description="TODO")
    allocationMode: Annotated[str, Named("v1.DeviceAllocationMode", ("All", "ExactCount"))] = Field(
        default="", description="TODO"
    )
    count: Int64 = Field(default=0, description="TODO")
    adminAccess: bool | None = Field(default=None, description="TODO")
    tolerations: list[DeviceToleration] = Field(default_factory=list, description="TODO")
    capacity: CapacityRequirements | None = Field(default=None, description="TODO")


class DeviceSubRequest(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    deviceClassName: Annotated[str, Required()] = Field(default="", description="TODO")
    selectors: list[DeviceSelector] = Field(default_factory=list, description="TODO")
    allocationMode: Annotated[str, Named("v1.DeviceAllocationMode", ("All", "ExactCount"))] = Field(
        default="", description="TODO"
    )
    count: Int64 = Field(default=0, description="TODO")
    tolerations: list[DeviceToleration] = Field(default_factory=list, description="TODO")
    capacity: CapacityRequirements | None = Field(default=None, description="TODO")


class DeviceRequest(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    exactly: ExactDeviceRequest | None = Field(default=None, description="TODO")
    firstAvailable: list[DeviceSubRequest] = Field(default_factory=list, description="TODO")


class DeviceConstraint(ApiModel):
    """TODO."""

    requests: list[str] = Field(default_factory=list, description="TODO")
    matchAttribute: Annotated[str | None, Named("v1.FullyQualifiedName")] = Field(default=None, description="TODO")
    distinctAttribute: Annotated[str | None, Named("v1.FullyQualifiedName")] = Field(default=None, description="TODO")


class OpaqueDeviceConfiguration(ApiModel):
    """TODO."""

    driver: Annotated[str, Required()] = Field(default="", description="TODO")
    parameters: Annotated[Raw | None, Named("runtime.RawExtension"), Required()] = Field(
        default=None, description="TODO"
    )


class DeviceClaimConfiguration(ApiModel):
    """TODO."""

    requests: list[str] = Field(default_factory=list, description="TODO")
    opaque: OpaqueDeviceConfiguration | None = Field(default=None, description="TODO")


class DeviceClaim(ApiModel):
    """TODO."""

    requests: Annotated[list[DeviceRequest], Always()] = Field(default_factory=list, description="TODO")
    constraints: list[DeviceConstraint] = Field(default_factory=list, description="TODO")
    config: list[DeviceClaimConfiguration] = Field(default_factory=list, description="TODO")


class ResourceClaimSpec(ApiModel):
    """TODO."""

    devices: Annotated[DeviceClaim, Always()] = Field(default_factory=DeviceClaim, description="TODO")


class DeviceRequestAllocationResult(ApiModel):
    """TODO."""

    request: Annotated[str, Required()] = Field(default="", description="TODO")
    driver: Annotated[str, Required()] = Field(default="", description="TODO")
    pool: Annotated[str, Required()] = Field(default="", description="TODO")
    device: Annotated[str, Required()] = Field(default="", description="TODO")
    adminAccess: bool | None = Field(default=None, description="TODO")
    tolerations: list[DeviceToleration] = Field(default_factory=list, description="TODO")
    bindingConditions: list[str] = Field(default_factory=list, description="TODO")
    bindingFailureConditions: list[str] = Field(default_factory=list, description="TODO")
    shareID: Annotated[str | None, Named("types.UID")] = Field(default=None, description="TODO")
    consumedCapacity: dict[str, Quantity] = Field(default_factory=dict, description="TODO")


class DeviceAllocationConfiguration(ApiModel):
    """TODO."""

    source: Annotated[str, Named("v1.AllocationConfigSource", ("FromClaim", "FromClass")), Required()] = Field(
        default="", description="TODO"
    )
    requests: list[str] = Field(default_factory=list, description="TODO")
    opaque: OpaqueDeviceConfiguration | None = Field(default=None, description="TODO")


class DeviceAllocationResult(ApiModel):
    """TODO."""

    results: list[DeviceRequestAllocationResult] = Field(default_factory=list, description="TODO")
    config: list[DeviceAllocationConfiguration] = Field(default_factory=list, description="TODO")


class AllocationResult(ApiModel):
    """TODO."""

    devices: DeviceAllocationResult = Field(default_factory=DeviceAllocationResult, description="TODO")
    nodeSelector: NodeSelector | None = Field(default=None, description="TODO")
    allocationTimestamp: Time | None = Field(default=None, description="TODO")


class ResourceClaimConsumerReference(ApiModel):
    """TODO."""

    apiGroup: str = Field(default="", description="TODO")
    resource: Annotated[str, Required()] = Field(default="", description="TODO")
    name: Annotated[str, Required()] = Field(default="", description="TODO")
    uid: Annotated[str, Named("types.UID"), Required()] = Field(default="", description="TODO")


class NetworkDeviceData(ApiModel):
    """TODO."""

    interfaceName: str = Field(default="", description="TODO")
    ips: list[str] = Field(default_factory=list, description="TODO")
    hardwareAddress: str = Field(default="", description="TODO")


class AllocatedDeviceStatus(ApiModel):
    """TODO."""

    driver: Annotated[str, Required()] = Field(default="", description="TODO")
    pool: Annotated[str, Required()] = Field(default="", description="TODO")
    device: Annotated[str, Required()] = Field(default="", description="TODO")
    shareID: str | None = Field(default=None, description="TODO")
    conditions: Annotated[list[Condition], MapList(("type",)), Always()] = Field(
        default_factory=list, description="TODO"
    )
    data: Annotated[Raw | None, Named("runtime.RawExtension")] = Field(default=None, description="TODO")
    networkData: NetworkDeviceData | None = Field(default=None, description="TODO")


class ResourceClaimStatus(ApiModel):
    """TODO."""

    allocation: AllocationResult | None = Field(default=None, description="TODO")
    reservedFor: Annotated[list[ResourceClaimConsumerReference], MapList(("uid",)), Merge("uid")] = Field(
        default_factory=list, description="TODO"
    )
    devices: Annotated[
        list[AllocatedDeviceStatus],
        MapList(
            (
                "driver",
                "device",
                "pool",
                "shareID",
            )
        ),
    ] = Field(default_factory=list, description="TODO")


class ResourceClaim(ApiObject):
    """TODO."""

    spec: Annotated[ResourceClaimSpec, Required()] = Field(default_factory=ResourceClaimSpec, description="TODO")
    status: ResourceClaimStatus = Field(default_factory=ResourceClaimStatus, description="TODO")
