"""TODO"""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel


class TopologySelectorLabelRequirement(ApiModel):
    """TODO."""

    key: Annotated[str, Required()] = Field(default="", description="TODO")
    values: Annotated[list[str], Required()] = Field(default_factory=list, description="TODO")


class TopologySelectorTerm(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    matchLabelExpressions: list[TopologySelectorLabelRequirement] = Field(default_factory=list, description="TODO")
