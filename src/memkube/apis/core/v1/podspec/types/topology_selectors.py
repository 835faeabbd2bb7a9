"""API types of topology selectors, such as the zones in which volumes may be provisioned."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel


class TopologySelectorLabelRequirement(ApiModel):
    """A label key and the values of the label that a topology may have."""

    key: Annotated[str, Required()] = Field(
        default="", description="Key of the label, such as topology.kubernetes.io/zone."
    )
    values: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Allowed values; one of them must match."
    )


class TopologySelectorTerm(ApiModel):
    """Label requirements on a topology, all of which must hold."""

    struct_type: ClassVar[str] = "atomic"

    matchLabelExpressions: list[TopologySelectorLabelRequirement] = Field(
        default_factory=list, description="Requirements on topology labels, such as the zone, all of which must hold."
    )
