"""Objects reduced to their metadata."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always
from memkube.apimachinery.meta.v1.api_object import ApiObject, TypeMeta
from memkube.apimachinery.meta.v1.list_meta import ListMeta


class PartialObjectMetadata(ApiObject):
    """An object of any kind with nothing but its metadata."""


class PartialObjectMetadataList(TypeMeta):
    """Objects with nothing but their metadata."""

    metadata: ListMeta = Field(default_factory=ListMeta, description="Version of the list and token for what follows.")
    items: Annotated[list[PartialObjectMetadata], Always()] = Field(
        default_factory=list, description="Objects of the list."
    )
