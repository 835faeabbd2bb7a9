"""ConversionReview: the response of a custom resource's conversion webhook.

ConversionReviews are not a resource. They have the same fields in v1 and v1beta1.
"""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Named, Required
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.meta.v1.status import Status
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Raw


class ConversionResponse(ApiModel):
    """Response of a conversion webhook: the converted objects, and whether the conversion succeeded."""

    uid: Annotated[str, Named("types.UID"), Required()] = Field(
        default="", description="UID of the conversion request that this response answers."
    )
    convertedObjects: Annotated[list[Annotated[Raw | None, Named("runtime.RawExtension")]], Atomic(), Required()] = (
        Field(default_factory=list, description="Converted objects, in the order of the request.")
    )
    result: Annotated[Status, Required()] = Field(
        default_factory=Status,
        description="Status with Success if all objects were converted; otherwise with the reason for the failure.",
    )


class ConversionReview(TypeMeta):
    """Envelope of a conversion webhook's response: objects converted to another API version."""

    response: ConversionResponse | None = Field(
        default=None, description="Converted objects, or the reason why the conversion failed."
    )
