from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apis.resource.v1.devices import DeviceConfiguration, DeviceSelector


class DeviceClassConfiguration(DeviceConfiguration):
    """A configuration that applies to all devices of a class."""


class DeviceClassSpec(ApiModel):
    """Selectors of the devices that belong to a class, and configurations for these devices."""

    selectors: list[DeviceSelector] = Field(
        default_factory=list,
        description="CEL selectors; a device belongs to the class if it matches all of them; at most 32.",
    )
    config: list[DeviceClassConfiguration] = Field(
        default_factory=list, description="Configurations of the devices, applied before those of claims; at most 32."
    )
    extendedResourceName: str | None = Field(
        default=None,
        description="Extended resource, such as example.com/gpu: pods that request it get devices of the class.",
    )


class DeviceClass(ApiObject):
    """A named selection of devices, to which claims refer."""

    spec: Annotated[DeviceClassSpec, Required()] = Field(
        default_factory=DeviceClassSpec, description="Selectors of the devices of the class, and their configurations."
    )
