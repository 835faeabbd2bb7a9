"""Files of volumes."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32
from memkube.apis.core.v1.podspec.types.env import ObjectFieldSelector, ResourceFieldSelector


class KeyToPath(ApiModel):
    """A key that is shown as a file."""

    key: Annotated[str, Required()] = Field(default="", description="Key to show.")
    path: Annotated[str, Required()] = Field(default="", description="Path of the file, relative and without dots.")
    mode: Int32 | None = Field(default=None, description="Permission bits of the file.")


class DownwardAPIVolumeFile(ApiModel):
    """A file with a field of the pod."""

    path: Annotated[str, Required()] = Field(default="", description="Path of the file, relative and without dots.")
    fieldRef: ObjectFieldSelector | None = Field(default=None, description="Field of the pod.")
    resourceFieldRef: ResourceFieldSelector | None = Field(default=None, description="Resource of a container.")
    mode: Int32 | None = Field(default=None, description="Permission bits of the file.")
