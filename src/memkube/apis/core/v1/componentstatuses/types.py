"""ComponentStatuses: how the parts of the control plane do."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class ComponentCondition(ApiModel):
    """Whether a part of the control plane does well."""

    type: Annotated[str, Named("v1.ComponentConditionType"), Required()] = Field(
        default="", description="What the condition is about: Healthy, as there is no other."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Whether it is so: True, False or Unknown."
    )
    message: str = Field(default="", description="What the part said when it was asked.")
    error: str = Field(default="", description="Why it could not be asked.")


class ComponentStatus(ApiObject):
    """How a part of the control plane does: the scheduler, the controllers, the storage. Deprecated."""

    conditions: Annotated[list[ComponentCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="What is known of the part."
    )
