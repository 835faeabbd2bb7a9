"""ComponentStatuses: how the parts of the control plane do."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class ComponentCondition(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.ComponentConditionType"), Required()] = Field(default="", description="TODO")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")
    error: str = Field(default="", description="TODO")


class ComponentStatus(ApiObject):
    """TODO."""

    conditions: Annotated[list[ComponentCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="TODO"
    )
