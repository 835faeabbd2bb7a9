"""VolumeAttributesClasses: attributes of volumes that can be changed."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject


class VolumeAttributesClass(ApiObject):
    """Attributes that volumes of a driver can be given while they are in use."""

    driverName: Annotated[str, Required()] = Field(default="", description="Driver whose volumes can have them.")
    parameters: dict[str, str] = Field(default_factory=dict, description="The attributes, as the driver names them.")
