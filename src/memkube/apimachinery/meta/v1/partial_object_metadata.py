"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always
from memkube.apimachinery.meta.v1.api_object import ApiObject, TypeMeta
from memkube.apimachinery.meta.v1.list_meta import ListMeta
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta


class PartialObjectMetadata(ApiObject):
    """."""



class PartialObjectMetadataList(TypeMeta):
    """."""

    metadata: ListMeta = Field(default_factory=ListMeta, description="")
    items: Annotated[list[PartialObjectMetadata], Always()] = Field(default_factory=list, description="")
