"""."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel


class LabelSelectorRequirement(ApiModel):
    """."""

    key: Annotated[str, Required()] = Field(default="", description="")
    operator: Annotated[str, Named("v1.LabelSelectorOperator"), Required()] = Field(default="", description="")
    values: list[str] = Field(default_factory=list, description="")


class LabelSelector(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    matchLabels: dict[str, str] = Field(default_factory=dict, description="")
    matchExpressions: list[LabelSelectorRequirement] = Field(default_factory=list, description="")
