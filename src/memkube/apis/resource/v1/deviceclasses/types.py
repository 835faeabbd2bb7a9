"""DeviceClasses: sorts of devices."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apis.resource.v1.resourceclaims.types import DeviceSelector, OpaqueDeviceConfiguration


class DeviceClassConfiguration(ApiModel):
    """TODO."""

    opaque: OpaqueDeviceConfiguration | None = Field(default=None, description="TODO")


class DeviceClassSpec(ApiModel):
    """TODO."""

    selectors: list[DeviceSelector] = Field(default_factory=list, description="TODO")
    config: list[DeviceClassConfiguration] = Field(default_factory=list, description="TODO")
    extendedResourceName: str | None = Field(default=None, description="TODO")


class DeviceClass(ApiObject):
    """TODO."""

    spec: Annotated[DeviceClassSpec, Required()] = Field(default_factory=DeviceClassSpec, description="TODO")
