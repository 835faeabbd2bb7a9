"""Conditions of an object's status."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Time


class Condition(ApiModel):
    """One aspect of an object's state at a time."""

    type: Annotated[str, Required()] = Field(
        default="", description="Name of the aspect, in CamelCase or as a qualified name."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    observedGeneration: Int64 = Field(
        default=0, description="Generation of the object that the condition was computed from."
    )
    lastTransitionTime: Annotated[Time | None, Required()] = Field(
        default=None, description="When the status changed last."
    )
    reason: Annotated[str, Required()] = Field(
        default="", description="Why the status is as it is, in one CamelCase word."
    )
    message: Annotated[str, Required()] = Field(
        default="", description="Why the status is as it is, for people to read."
    )


class OlderCondition(ApiModel):
    """What the conditions of kinds have in common that are older than `Condition`; the reference repeats it."""

    go_struct: ClassVar[bool] = False

    type: Annotated[str, Required()] = Field(default="", description="Which aspect.")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why, in one CamelCase word.")
    message: str = Field(default="", description="Why, for people.")
