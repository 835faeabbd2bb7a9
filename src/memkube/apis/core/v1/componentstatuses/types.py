from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class ComponentCondition(ApiModel):
    """Health condition of a control-plane component."""

    type: Annotated[str, Named("v1.ComponentConditionType"), Required()] = Field(
        default="", description="Type of the condition; always Healthy."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    message: str = Field(default="", description="Response of the component to the health check.")
    error: str = Field(default="", description="Error of the health check, if the component is not healthy.")


class ComponentStatus(ApiObject):
    """Health of a control-plane component: the scheduler, the controller manager or etcd. Deprecated."""

    conditions: Annotated[list[ComponentCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Health of the component: one condition, of type Healthy."
    )
