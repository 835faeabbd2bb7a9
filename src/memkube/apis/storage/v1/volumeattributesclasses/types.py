from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject


class VolumeAttributesClass(ApiObject):
    """Attributes of a CSI driver's volumes that can change while a volume exists."""

    driverName: Annotated[str, Required()] = Field(
        default="", description="Name of the CSI driver whose volumes can have the attributes."
    )
    parameters: dict[str, str] = Field(
        default_factory=dict, description="Attributes that the CSI driver gives to volumes, by name."
    )
