from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Bytes


class Secret(ApiObject):
    """Confidential data by key."""

    immutable: bool | None = Field(default=None, description="True if the data can no longer be changed.")
    data: dict[str, Bytes] = Field(default_factory=dict, description="Secret values by key, encoded as base64.")
    stringData: dict[str, str] = Field(
        default_factory=dict, description="Unencoded data by key, merged into data on write; never returned."
    )
    type: Annotated[str, Named("v1.SecretType")] = Field(
        default="", description="Type of the secret, which decides what keys are required."
    )
