"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Time


class Condition(ApiModel):
    """."""

    type: Annotated[str, Required()] = Field(default="", description="")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(default="", description="")
    observedGeneration: Int64 = Field(default=0, description="")
    lastTransitionTime: Annotated[Time | None, Required()] = Field(default=None, description="")
    reason: Annotated[str, Required()] = Field(default="", description="")
    message: Annotated[str, Required()] = Field(default="", description="")
