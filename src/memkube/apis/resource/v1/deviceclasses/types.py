"""DeviceClasses: sorts of devices."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apis.resource.v1.devices import DeviceSelector, OpaqueDeviceConfiguration


class DeviceClassConfiguration(ApiModel):
    """A configuration of all devices of a class."""

    opaque: OpaqueDeviceConfiguration | None = Field(default=None, description="What a driver is told.")


class DeviceClassSpec(ApiModel):
    """Which devices are of a class, and how they are configured."""

    selectors: list[DeviceSelector] = Field(
        default_factory=list, description="What devices of the class must fit; all of them count, at most 32."
    )
    config: list[DeviceClassConfiguration] = Field(
        default_factory=list, description="Configurations of the devices, before those of claims; at most 32."
    )
    extendedResourceName: str | None = Field(
        default=None, description="Extended resource whose requests are met with devices of the class."
    )


class DeviceClass(ApiObject):
    """A sort of devices that claims may ask for by name."""

    spec: Annotated[DeviceClassSpec, Required()] = Field(
        default_factory=DeviceClassSpec, description="Which devices are of the class, and how they are configured."
    )
