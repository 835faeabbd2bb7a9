"""Confidential data."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Bytes


class Secret(ApiObject):
    """Confidential data by key."""

    immutable: bool | None = Field(default=None, description="Whether the data can no longer change.")
    data: dict[str, Bytes] = Field(default_factory=dict, description="Bytes by key, in base64.")
    stringData: dict[str, str] = Field(
        default_factory=dict, description="Text by key to be stored in data; never read back."
    )
    type: Annotated[str, Named("v1.SecretType")] = Field(
        default="", description="What the data is for, which decides about the keys that must be there."
    )
