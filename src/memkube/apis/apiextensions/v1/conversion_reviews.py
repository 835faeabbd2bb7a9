"""ConversionReview: what a conversion webhook answers. It is no resource, and has the same fields in both versions."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Named, Required
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.meta.v1.status import Status
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Raw


class ConversionResponse(ApiModel):
    """What became of the objects."""

    uid: Annotated[str, Named("types.UID"), Required()] = Field(default="", description="The uid of the request.")
    convertedObjects: Annotated[list[Annotated[Raw | None, Named("runtime.RawExtension")]], Atomic(), Required()] = (
        Field(default_factory=list, description="The objects in the desired version, in the order of the request.")
    )
    result: Annotated[Status, Required()] = Field(
        default_factory=Status, description="Whether all were converted, and why not."
    )


class ConversionReview(TypeMeta):
    """An answer to a request for objects of another version."""

    response: ConversionResponse | None = Field(default=None, description="What became of the objects.")
