"""What a watch reports."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Raw


class WatchEvent(ApiModel):
    """A change that a watch reports."""

    type: Annotated[str, Required()] = Field(default="", description="ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.")
    object: Annotated[Raw | None, Named("runtime.RawExtension"), Required()] = Field(
        default=None, description="Object after the change, or a Status for ERROR."
    )
