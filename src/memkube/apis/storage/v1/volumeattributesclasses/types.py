"""VolumeAttributesClasses: attributes of volumes that can be changed."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject


class VolumeAttributesClass(ApiObject):
    """TODO."""

    driverName: Annotated[str, Required()] = Field(default="", description="TODO")
    parameters: dict[str, str] = Field(default_factory=dict, description="TODO")
