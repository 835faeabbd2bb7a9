"""."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apimachinery.scalars import Bytes


class ConfigMap(ApiObject):
    """."""

    immutable: bool | None = Field(default=None, description="")
    data: dict[str, str] = Field(default_factory=dict, description="")
    binaryData: dict[str, Bytes] = Field(default_factory=dict, description="")
