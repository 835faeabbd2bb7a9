"""A state that a controller can go back to."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Int64, Raw


class ControllerRevision(ApiObject):
    """A state in a controller's own words. Its data never changes; its number does when it becomes the latest again."""

    data: Annotated[Raw | None, Named("runtime.RawExtension"), Always()] = Field(
        default=None, description="The state: an object that only its writer understands."
    )
    revision: Annotated[Int64, Required()] = Field(
        default=0, description="Place in the history: later states have higher numbers."
    )
