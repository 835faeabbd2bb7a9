"""API types shared by ResourceClaims, DeviceClasses and ResourceSlices."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Default, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Raw


class CELDeviceSelector(ApiModel):
    """A CEL expression that is true for the devices to select."""

    expression: Annotated[str, Required()] = Field(
        default="",
        description="CEL expression over `device` that returns true for matching devices; at most 10 KiB.",
    )


class DeviceSelector(ApiModel):
    """A condition on devices: a CEL expression that must be true for a device to be selected."""

    cel: CELDeviceSelector | None = Field(
        default=None, description="CEL expression that returns true for matching devices."
    )


class DeviceToleration(ApiModel):
    """Allows the allocation of devices that have a matching taint."""

    key: str = Field(
        default="", description="Key of the tolerated taints; empty, with the operator Exists, to tolerate all keys."
    )
    operator: Annotated[str, Named("v1.DeviceTolerationOperator", ("Equal", "Exists")), Default("Equal")] = Field(
        default="",
        description="Equal (the default) if only taints with `value` are tolerated; Exists to tolerate any value.",
    )
    value: str = Field(default="", description="Value of the tolerated taints; must be empty for the operator Exists.")
    effect: Annotated[str, Named("v1.DeviceTaintEffect", ("NoExecute", "NoSchedule", "None"))] = Field(
        default="", description="Effect of the tolerated taints; empty to tolerate all effects."
    )
    tolerationSeconds: Int64 | None = Field(
        default=None, description="Seconds for which a NoExecute taint is tolerated; forever if unset."
    )


class OpaqueDeviceConfiguration(ApiModel):
    """Driver-specific configuration of devices as JSON."""

    driver: Annotated[str, Required()] = Field(default="", description="Name of the driver that reads the parameters.")
    parameters: Annotated[Raw | None, Named("runtime.RawExtension"), Required()] = Field(
        default=None, description="Parameters for the driver: any object, of at most 10 KiB."
    )


class DeviceConfiguration(ApiModel):
    """A configuration that is passed to the drivers of devices; exactly one field is set."""

    opaque: OpaqueDeviceConfiguration | None = Field(
        default=None, description="Parameters that only the named driver interprets."
    )
