from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Int64, Raw


class ControllerRevision(ApiObject):
    """A snapshot of a controller's state, to which the controller can roll back.

    The data is immutable. If the controller returns to an earlier state, it raises the number `revision` of that
    state's snapshot.
    """

    data: Annotated[Raw | None, Named("runtime.RawExtension"), Always()] = Field(
        default=None,
        description="Snapshot of the state in the format of the controller, such as a patch with a pod template.",
    )
    revision: Annotated[Int64, Required()] = Field(
        default=0, description="Number of the revision; a later revision has a higher number."
    )
