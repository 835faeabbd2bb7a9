from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Bytes


class ConfigMap(ApiObject):
    """Configuration data as texts or bytes by key."""

    immutable: bool | None = Field(default=None, description="True if the data can no longer be changed.")
    data: dict[str, str] = Field(
        default_factory=dict, description="Text values by key, such as settings or contents of files."
    )
    binaryData: dict[str, Bytes] = Field(
        default_factory=dict, description="Binary values by key; keys must differ from those of data."
    )
