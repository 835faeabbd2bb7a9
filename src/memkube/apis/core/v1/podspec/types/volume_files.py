"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.podspec.types.env import ObjectFieldSelector, ResourceFieldSelector


class KeyToPath(ApiModel):
    """."""

    key: Annotated[str, Required()] = Field(default="", description="")
    path: Annotated[str, Required()] = Field(default="", description="")
    mode: Int32 | None = Field(default=None, description="")


class DownwardAPIVolumeFile(ApiModel):
    """."""

    path: Annotated[str, Required()] = Field(default="", description="")
    fieldRef: ObjectFieldSelector | None = Field(default=None, description="")
    resourceFieldRef: ResourceFieldSelector | None = Field(default=None, description="")
    mode: Int32 | None = Field(default=None, description="")
