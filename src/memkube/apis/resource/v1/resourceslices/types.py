from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.quantity import Quantity as QuantityText
from memkube.apimachinery.scalars import Int64, Quantity, Time
from memkube.apis.core.v1.podspec.types.scheduling import NodeSelector


class ResourcePool(ApiModel):
    """Name and generation of the device pool that a slice belongs to, and the number of slices in the pool."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the pool, often that of its node: DNS subdomains separated by slashes."
    )
    generation: Annotated[Int64, Required()] = Field(
        default=0, description="Generation of the pool; slices of older generations than the newest are ignored."
    )
    resourceSliceCount: Annotated[Int64, Required()] = Field(
        default=0, description="Number of slices that the pool consists of in this generation."
    )


class DeviceAttribute(ApiModel):
    """Value of a device attribute; exactly one field is set."""

    int_: Int64 | None = Field(default=None, alias="int", description="Value of the attribute, if it is an integer.")
    bool_: bool | None = Field(default=None, alias="bool", description="Value of the attribute, if it is a boolean.")
    string: str | None = Field(default=None, description="Value of the attribute, if it is a string; at most 64 bytes.")
    version: str | None = Field(
        default=None, description="Value of the attribute, if it is a semantic version; at most 64 bytes."
    )
    ints: list[Int64] = Field(default_factory=list, description="Values of the attribute, if it is a list of integers.")
    bools: list[bool] = Field(default_factory=list, description="Values of the attribute, if it is a list of booleans.")
    strings: list[str] = Field(default_factory=list, description="Values of the attribute, if it is a list of strings.")
    versions: list[str] = Field(
        default_factory=list, description="Values of the attribute, if it is a list of semantic versions."
    )


class CapacityRequestPolicyRange(ApiModel):
    """Smallest and largest amount of a capacity that may be requested, and the step between amounts."""

    min: Annotated[Quantity | None, Required(omits_zero=True)] = Field(
        default=None, description="Smallest amount that may be requested; smaller requests are rounded up to it."
    )
    max: Quantity | None = Field(
        default=None, description="Largest amount that may be requested; the whole capacity of the device if unset."
    )
    step: Quantity | None = Field(
        default=None,
        description="Step between allowed amounts, from the minimum on; requests are rounded up to the next step.",
    )


class CapacityRequestPolicy(ApiModel):
    """Amounts of a device's capacity that claims may request. Without a policy, any amount may be requested."""

    default: Annotated[Quantity | None, Always()] = Field(
        default=None, description="Amount that a request without an amount gets."
    )
    validValues: list[Quantity] = Field(
        default_factory=list,
        description="Amounts that may be requested, and no others, in ascending order; at most 10.",
    )
    validRange: CapacityRequestPolicyRange | None = Field(
        default=None, description="Range of amounts that may be requested; mutually exclusive with validValues."
    )


class DeviceCapacity(ApiModel):
    """Amount of a capacity that a device has, and the amounts that claims may request of it."""

    value: Annotated[Quantity, Required()] = Field(
        default=QuantityText("0"),
        description="Total amount of this capacity, such as 40Gi of memory, that the device has.",
    )
    requestPolicy: CapacityRequestPolicy | None = Field(
        default=None, description="Amounts that claims may request; only if the device has allowMultipleAllocations."
    )


class Counter(ApiModel):
    """Amount of a counter: available to all devices of a pool together, or consumed by one device."""

    value: Annotated[Quantity, Required()] = Field(
        default=QuantityText("0"),
        description="Amount available to all devices together or, in consumesCounters, used by one device.",
    )


class DeviceCounterConsumption(ApiModel):
    """Amounts of shared counters that a device consumes once it is allocated."""

    counterSet: Annotated[str, Required()] = Field(
        default="", description="Name of the set of shared counters that the device consumes from."
    )
    counters: Annotated[dict[str, Counter], Required(omits_zero=True)] = Field(
        default_factory=dict, description="Amounts that the device consumes, by name of the counter; at most 32."
    )


class DeviceTaint(ApiModel):
    """A taint of a device: claims without a matching toleration do not get the device."""

    key: Annotated[str, Required()] = Field(
        default="", description="Key of the taint, which tolerations name; has the form of a label key."
    )
    value: str = Field(
        default="", description="Value of the taint, which tolerations may name; has the form of a label value."
    )
    effect: Annotated[str, Named("v1.DeviceTaintEffect", ("NoExecute", "NoSchedule", "None")), Required()] = Field(
        default="", description="None, NoSchedule, or NoExecute, which also evicts pods that use the device."
    )
    timeAdded: Time | None = Field(
        default=None, description="Time when the taint was added; the current time by default."
    )


class NodeAllocatableResourceMapping(ApiModel):
    """How to compute the amount of a node's allocatable resource, such as memory, that an allocated device uses."""

    capacityKey: Annotated[str | None, Named("v1.QualifiedName")] = Field(
        default=None,
        description="Device capacity by which allocationMultiplier is multiplied; if unset, by the number of devices.",
    )
    allocationMultiplier: Quantity | None = Field(
        default=None,
        description="Amount of the node's resource per unit of capacityKey or, without it, per device; 1 by default.",
    )


class Device(ApiModel):
    """A device with its attributes, capacities and taints."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the device, unique in its pool.")
    attributes: Annotated[dict[str, DeviceAttribute], Named("map[v1.QualifiedName]v1.DeviceAttribute")] = Field(
        default_factory=dict,
        description="Attributes of the device by name; names without a domain belong to the domain of the driver.",
    )
    capacity: Annotated[dict[str, DeviceCapacity], Named("map[v1.QualifiedName]v1.DeviceCapacity")] = Field(
        default_factory=dict,
        description="Capacities of the device by name; names without a domain belong to the domain of the driver.",
    )
    consumesCounters: list[DeviceCounterConsumption] = Field(
        default_factory=list,
        description="Amounts of shared counters that the device consumes, from at most 2 counter sets.",
    )
    nodeName: str | None = Field(
        default=None,
        description="Only node on which the device is available; only if the slice has perDeviceNodeSelection.",
    )
    nodeSelector: NodeSelector | None = Field(
        default=None,
        description="Nodes on which the device is available; only if the slice has perDeviceNodeSelection.",
    )
    allNodes: bool | None = Field(
        default=None,
        description="True if the device is available on all nodes; only if the slice has perDeviceNodeSelection.",
    )
    taints: list[DeviceTaint] = Field(default_factory=list, description="Taints of the device; at most 16.")
    bindsToNode: bool | None = Field(
        default=None,
        description="True if a claim with this device can only be used on the node that was chosen at the allocation.",
    )
    bindingConditions: list[str] = Field(
        default_factory=list,
        description="Types of device conditions, all of which must be True before a pod is bound; at most 4.",
    )
    bindingFailureConditions: list[str] = Field(
        default_factory=list,
        description="Types of device conditions; the binding of a pod fails if one of them is True; at most 4.",
    )
    allowMultipleAllocations: bool | None = Field(
        default=None, description="True if the device may be allocated to several requests at once."
    )
    nodeAllocatableResourceMappings: Annotated[
        dict[str, NodeAllocatableResourceMapping],
        Named("map[v1.ResourceName]v1.NodeAllocatableResourceMapping"),
    ] = Field(
        default_factory=dict,
        description="Amounts of the node's allocatable resources that the device uses, by resource name.",
    )


class CounterSet(ApiModel):
    """Named set of counters that the devices of a pool share."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the set, unique in its pool.")
    counters: Annotated[dict[str, Counter], Required(omits_zero=True)] = Field(
        default_factory=dict, description="Shared counters and their total amounts, by name; at most 32."
    )


class ResourceSliceSpec(ApiModel):
    """Devices of a pool, and the nodes on which they are available."""

    driver: Annotated[str, Required()] = Field(
        default="", description="Name of the driver that manages the devices; immutable."
    )
    pool: Annotated[ResourcePool, Required()] = Field(
        default_factory=ResourcePool,
        description="Pool to which the devices of the slice belong; its name is immutable.",
    )
    nodeName: str | None = Field(
        default=None, description="Name of the only node on which the devices are available; immutable."
    )
    nodeSelector: NodeSelector | None = Field(
        default=None, description="Selector, with exactly one term, of the nodes on which the devices are available."
    )
    allNodes: bool | None = Field(default=None, description="True if the devices are available on all nodes.")
    devices: list[Device] = Field(
        default_factory=list,
        description="Devices of the slice; at most 128, or 64 if one has taints or consumes counters.",
    )
    perDeviceNodeSelection: bool | None = Field(
        default=None, description="True if each device specifies its own nodes."
    )
    sharedCounters: list[CounterSet] = Field(
        default_factory=list,
        description="Sets of counters that devices of the pool share; at most 8; a slice with them has no devices.",
    )


class ResourceSlice(ApiObject):
    """A part of a pool of devices, published by a driver."""

    spec: Annotated[ResourceSliceSpec, Required()] = Field(
        default_factory=ResourceSliceSpec, description="Devices of the pool, and the nodes on which they are available."
    )
