"""Selection of objects by their fields, in parts."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel


class FieldSelectorRequirement(ApiModel):
    """A condition that a field must meet."""

    key: Annotated[str, Required()] = Field(default="", description="Field that the condition is about.")
    operator: Annotated[str, Named("v1.FieldSelectorOperator"), Required()] = Field(
        default="", description="In, NotIn, Exists or DoesNotExist."
    )
    values: list[str] = Field(default_factory=list, description="Values for In and NotIn; empty for the others.")
