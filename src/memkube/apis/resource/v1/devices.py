"""What claims, classes and slices say of devices in the same way."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Default, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Raw


class CELDeviceSelector(ApiModel):
    """An expression that picks devices."""

    expression: Annotated[str, Required()] = Field(
        default="",
        description="CEL expression over `device` that is true for devices that fit; at most 10 KiB.",
    )


class DeviceSelector(ApiModel):
    """One way to pick devices."""

    cel: CELDeviceSelector | None = Field(default=None, description="An expression that is true for devices that fit.")


class DeviceToleration(ApiModel):
    """A taint that a request does not mind."""

    key: str = Field(default="", description="Key of the taint; every key if empty, which needs Exists.")
    operator: Annotated[str, Named("v1.DeviceTolerationOperator", ("Equal", "Exists")), Default("Equal")] = Field(
        default="", description="Exists for any value, Equal (the default) for the one that is given."
    )
    value: str = Field(default="", description="Value of the taint; empty for Exists.")
    effect: Annotated[str, Named("v1.DeviceTaintEffect", ("NoExecute", "NoSchedule", "None"))] = Field(
        default="", description="Effect of the taint; every effect if empty."
    )
    tolerationSeconds: Int64 | None = Field(
        default=None, description="How long a NoExecute taint is borne; forever if not given."
    )


class OpaqueDeviceConfiguration(ApiModel):
    """A configuration that only a driver understands."""

    driver: Annotated[str, Required()] = Field(default="", description="Driver that reads the parameters.")
    parameters: Annotated[Raw | None, Named("runtime.RawExtension"), Required()] = Field(
        default=None, description="What the driver is told: any object, of at most 10 KiB."
    )
