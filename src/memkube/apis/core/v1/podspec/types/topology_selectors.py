"""Terms that choose topologies of nodes, such as the zones that storage may be made in."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel


class TopologySelectorLabelRequirement(ApiModel):
    """One label that nodes must have, with the values that do."""

    key: Annotated[str, Required()] = Field(default="", description="Key of the label.")
    values: Annotated[list[str], Required()] = Field(default_factory=list, description="Values that do; any of them.")


class TopologySelectorTerm(ApiModel):
    """Labels that nodes must have, all of them."""

    struct_type: ClassVar[str] = "atomic"

    matchLabelExpressions: list[TopologySelectorLabelRequirement] = Field(
        default_factory=list, description="Requirements, all of which must hold."
    )
