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
    """The pool that a slice is a part of."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the pool, often that of its node: domain names with slashes between them."
    )
    generation: Annotated[Int64, Required()] = Field(
        default=0, description="Grows with each change of the pool; slices of older generations do not count."
    )
    resourceSliceCount: Annotated[Int64, Required()] = Field(
        default=0, description="How many slices of this generation the pool has in all."
    )


class DeviceAttribute(ApiModel):
    """The value of an attribute; one field is set."""

    int_: Int64 | None = Field(default=None, alias="int", description="A number.")
    bool_: bool | None = Field(default=None, alias="bool", description="True or false.")
    string: str | None = Field(default=None, description="A text of at most 64 bytes.")
    version: str | None = Field(default=None, description="A semantic version of at most 64 bytes.")
    ints: list[Int64] = Field(default_factory=list, description="Several numbers.")
    bools: list[bool] = Field(default_factory=list, description="Several truth values.")
    strings: list[str] = Field(default_factory=list, description="Several texts.")
    versions: list[str] = Field(default_factory=list, description="Several semantic versions.")


class CapacityRequestPolicyRange(ApiModel):
    """Amounts that can be asked for, from one to another."""

    min: Annotated[Quantity | None, Required(omits_zero=True)] = Field(
        default=None, description="The least amount; less is rounded up to it."
    )
    max: Quantity | None = Field(default=None, description="The largest amount; the whole capacity if not given.")
    step: Quantity | None = Field(default=None, description="Amounts above the least are rounded up to such steps.")


class CapacityRequestPolicy(ApiModel):
    """Which amounts of a capacity can be asked for; any if nothing but the default is given."""

    default: Annotated[Quantity | None, Always()] = Field(
        default=None, description="The amount that a request takes that does not name one."
    )
    validValues: list[Quantity] = Field(
        default_factory=list, description="The amounts that can be had, in rising order; at most 10."
    )
    validRange: CapacityRequestPolicyRange | None = Field(
        default=None, description="The amounts that can be had, from one to another."
    )


class DeviceCapacity(ApiModel):
    """How much of something a device has."""

    value: Annotated[Quantity, Required()] = Field(default=QuantityText("0"), description="The amount.")
    requestPolicy: CapacityRequestPolicy | None = Field(
        default=None, description="How requests may take parts of it, if the device can be given several times."
    )


class Counter(ApiModel):
    """An amount that devices share."""

    value: Annotated[Quantity, Required()] = Field(default=QuantityText("0"), description="The amount.")


class DeviceCounterConsumption(ApiModel):
    """What a device takes from a set of counters while it is in use."""

    counterSet: Annotated[str, Required()] = Field(default="", description="Name of the set.")
    counters: Annotated[dict[str, Counter], Required(omits_zero=True)] = Field(
        default_factory=dict, description="Amounts that the device takes, by counters; at most 32."
    )


class DeviceTaint(ApiModel):
    """What keeps requests away from a device unless they tolerate it."""

    key: Annotated[str, Required()] = Field(default="", description="Key of the taint, a label key.")
    value: str = Field(default="", description="Value of the taint, a label value.")
    effect: Annotated[str, Named("v1.DeviceTaintEffect", ("NoExecute", "NoSchedule", "None")), Required()] = Field(
        default="", description="None, NoSchedule, or NoExecute, which evicts pods that use the device too."
    )
    timeAdded: Time | None = Field(default=None, description="When the taint was added; now if not given.")


class NodeAllocatableResourceMapping(ApiModel):
    """How much of a node's resource a device stands for."""

    capacityKey: Annotated[str | None, Named("v1.QualifiedName")] = Field(
        default=None, description="Capacity of the device that is counted; the number of devices if not given."
    )
    allocationMultiplier: Quantity | None = Field(
        default=None, description="Factor from the device to the resource; 1 if not given."
    )


class Device(ApiModel):
    """A device."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the device, unique in its pool.")
    attributes: dict[str, DeviceAttribute] = Field(
        default_factory=dict, description="What the device is like, by names with or without a domain."
    )
    capacity: dict[str, DeviceCapacity] = Field(
        default_factory=dict, description="How much the device has, by names with or without a domain."
    )
    consumesCounters: list[DeviceCounterConsumption] = Field(
        default_factory=list, description="What the device takes from shared counters; from at most 2 sets."
    )
    nodeName: str | None = Field(
        default=None, description="Node that has the device, if the slice says so for each device."
    )
    nodeSelector: NodeSelector | None = Field(
        default=None, description="Nodes that the device can be used on, if the slice says so for each device."
    )
    allNodes: bool | None = Field(
        default=None, description="Whether all nodes can use the device, if the slice says so for each device."
    )
    taints: list[DeviceTaint] = Field(
        default_factory=list, description="What keeps requests away from the device; at most 16."
    )
    bindsToNode: bool | None = Field(
        default=None, description="Whether the device belongs to the node of its pod once it is given."
    )
    bindingConditions: list[str] = Field(
        default_factory=list, description="Conditions that must be true before a pod is bound; at most 4."
    )
    bindingFailureConditions: list[str] = Field(
        default_factory=list, description="Conditions that say that the device cannot be made ready; at most 4."
    )
    allowMultipleAllocations: bool | None = Field(
        default=None, description="Whether the device can be given several times."
    )
    nodeAllocatableResourceMappings: dict[str, NodeAllocatableResourceMapping] = Field(
        default_factory=dict, description="Resources of the node that the device stands for, by their names."
    )


class CounterSet(ApiModel):
    """Amounts that devices of a pool share."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the set, unique in its pool.")
    counters: Annotated[dict[str, Counter], Required(omits_zero=True)] = Field(
        default_factory=dict, description="The amounts by name; at most 32."
    )


class ResourceSliceSpec(ApiModel):
    """Devices of a pool, and where they can be used."""

    driver: Annotated[str, Required()] = Field(default="", description="Driver of the devices; it never changes.")
    pool: Annotated[ResourcePool, Required()] = Field(
        default_factory=ResourcePool, description="The pool that the slice is a part of."
    )
    nodeName: str | None = Field(default=None, description="Node that has the devices; it never changes.")
    nodeSelector: NodeSelector | None = Field(
        default=None, description="Nodes that the devices can be used on, as exactly one term."
    )
    allNodes: bool | None = Field(default=None, description="Whether all nodes can use the devices.")
    devices: list[Device] = Field(default_factory=list, description="The devices; at most 128, or 64 with taints.")
    perDeviceNodeSelection: bool | None = Field(
        default=None, description="Whether each device says for itself where it can be used."
    )
    sharedCounters: list[CounterSet] = Field(
        default_factory=list, description="Amounts that devices of the pool share; at most 8 sets, and no devices then."
    )


class ResourceSlice(ApiObject):
    """A part of a pool of devices, as a driver publishes it."""

    spec: Annotated[ResourceSliceSpec, Required()] = Field(
        default_factory=ResourceSliceSpec, description="Devices of the pool, and where they can be used."
    )
