"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apimachinery.scalars import Bytes


class Secret(ApiObject):
    """."""

    immutable: bool | None = Field(default=None, description="")
    data: dict[str, Bytes] = Field(default_factory=dict, description="")
    stringData: dict[str, str] = Field(default_factory=dict, description="")
    type: Annotated[str, Named("v1.SecretType")] = Field(default="", description="")
