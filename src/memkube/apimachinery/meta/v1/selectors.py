"""Selection of objects by their labels and their fields, in parts."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel


class LabelSelectorRequirement(ApiModel):
    """A condition that labels must meet."""

    key: Annotated[str, Required()] = Field(default="", description="Label that the condition is about.")
    operator: Annotated[str, Named("v1.LabelSelectorOperator"), Required()] = Field(
        default="", description="In, NotIn, Exists or DoesNotExist."
    )
    values: list[str] = Field(default_factory=list, description="Values for In and NotIn; empty for the others.")


class LabelSelector(ApiModel):
    """A selection by labels: all conditions hold, and an empty selector selects everything."""

    struct_type: ClassVar[str] = "atomic"

    matchLabels: dict[str, str] = Field(
        default_factory=dict, description="Labels that must be present with these values."
    )
    matchExpressions: list[LabelSelectorRequirement] = Field(
        default_factory=list, description="Further conditions that must hold."
    )


class FieldSelectorRequirement(ApiModel):
    """A condition that a field must meet."""

    key: Annotated[str, Required()] = Field(default="", description="Field that the condition is about.")
    operator: Annotated[str, Named("v1.FieldSelectorOperator"), Required()] = Field(
        default="", description="In, NotIn, Exists or DoesNotExist."
    )
    values: list[str] = Field(default_factory=list, description="Values for In and NotIn; empty for the others.")
