"""Configuration for programs to read."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Bytes


class ConfigMap(ApiObject):
    """Configuration data by key."""

    immutable: bool | None = Field(default=None, description="Whether the data can no longer change.")
    data: dict[str, str] = Field(default_factory=dict, description="Text by key.")
    binaryData: dict[str, Bytes] = Field(
        default_factory=dict, description="Bytes by key; keys must differ from those of data."
    )
