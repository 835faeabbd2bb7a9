"""ResourceSlices: devices that there are."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.quantity import Quantity as QuantityText
from memkube.apimachinery.scalars import Int64, Quantity, Time
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelector


class ResourcePool(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    generation: Annotated[Int64, Required()] = Field(default=0, description="TODO")
    resourceSliceCount: Annotated[Int64, Required()] = Field(default=0, description="TODO")


class DeviceAttribute(ApiModel):
    """TODO."""

    int_: Int64 | None = Field(default=None, alias="int", description="TODO")
    bool_: bool | None = Field(default=None, alias="bool", description="TODO")
    string: str | None = Field(default=None, description="TODO")
    version: str | None = Field(default=None, description="TODO")
    ints: list[Int64] = Field(default_factory=list, description="TODO")
    bools: list[bool] = Field(default_factory=list, description="TODO")
    strings: list[str] = Field(default_factory=list, description="TODO")
    versions: list[str] = Field(default_factory=list, description="TODO")


class CapacityRequestPolicyRange(ApiModel):
    """TODO."""

    min: Annotated[Quantity | None, Required()] = Field(default=None, description="TODO")
    max: Quantity | None = Field(default=None, description="TODO")
    step: Quantity | None = Field(default=None, description="TODO")


class CapacityRequestPolicy(ApiModel):
    """TODO."""

    default: Annotated[Quantity | None, Always()] = Field(default=None, description="TODO")
    validValues: list[Quantity] = Field(default_factory=list, description="TODO")
    validRange: CapacityRequestPolicyRange | None = Field(default=None, description="TODO")


class DeviceCapacity(ApiModel):
    """TODO."""

    value: Annotated[Quantity, Required()] = Field(default=QuantityText("0"), description="TODO")
    requestPolicy: CapacityRequestPolicy | None = Field(default=None, description="TODO")


class Counter(ApiModel):
    """TODO."""

    value: Annotated[Quantity, Required()] = Field(default=QuantityText("0"), description="TODO")


class DeviceCounterConsumption(ApiModel):
    """TODO."""

    counterSet: Annotated[str, Required()] = Field(default="", description="TODO")
    counters: Annotated[dict[str, Counter], Required(omits_zero=True)] = Field(default_factory=dict, description="TODO")


class DeviceTaint(ApiModel):
    """TODO."""

    key: Annotated[str, Required()] = Field(default="", description="TODO")
    value: str = Field(default="", description="TODO")
    effect: Annotated[str, Named("v1.DeviceTaintEffect", ("NoExecute", "NoSchedule", "None")), Required()] = Field(
        default="", description="TODO"
    )
    timeAdded: Time | None = Field(default=None, description="TODO")


class NodeAllocatableResourceMapping(ApiModel):
    """TODO."""

    capacityKey: Annotated[str | None, Named("v1.QualifiedName")] = Field(default=None, description="TODO")
    allocationMultiplier: Quantity | None = Field(default=None, description="TODO")


class Device(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    attributes: dict[str, DeviceAttribute] = Field(default_factory=dict, description="TODO")
    capacity: dict[str, DeviceCapacity] = Field(default_factory=dict, description="TODO")
    consumesCounters: list[DeviceCounterConsumption] = Field(default_factory=list, description="TODO")
    nodeName: str | None = Field(default=None, description="TODO")
    nodeSelector: NodeSelector | None = Field(default=None, description="TODO")
    allNodes: bool | None = Field(default=None, description="TODO")
    taints: list[DeviceTaint] = Field(default_factory=list, description="TODO")
    bindsToNode: bool | None = Field(default=None, description="TODO")
    bindingConditions: list[str] = Field(default_factory=list, description="TODO")
    bindingFailureConditions: list[str] = Field(default_factory=list, description="TODO")
    allowMultipleAllocations: bool | None = Field(default=None, description="TODO")
    nodeAllocatableResourceMappings: dict[str, NodeAllocatableResourceMapping] = Field(
        default_factory=dict, description="TODO"
    )


class CounterSet(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    counters: Annotated[dict[str, Counter], Required(omits_zero=True)] = Field(default_factory=dict, description="TODO")


class ResourceSliceSpec(ApiModel):
    """TODO."""

    driver: Annotated[str, Required()] = Field(default="", description="TODO")
    pool: Annotated[ResourcePool, Required()] = Field(default_factory=ResourcePool, description="TODO")
    nodeName: str | None = Field(default=None, description="TODO")
    nodeSelector: NodeSelector | None = Field(default=None, description="TODO")
    allNodes: bool | None = Field(default=None, description="TODO")
    devices: list[Device] = Field(default_factory=list, description="TODO")
    perDeviceNodeSelection: bool | None = Field(default=None, description="TODO")
    sharedCounters: list[CounterSet] = Field(default_factory=list, description="TODO")


class ResourceSlice(ApiObject):
    """TODO."""

    spec: Annotated[ResourceSliceSpec, Required()] = Field(default_factory=ResourceSliceSpec, description="TODO")
