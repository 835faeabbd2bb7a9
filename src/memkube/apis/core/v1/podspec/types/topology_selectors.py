"""API types of topology selectors, such as the zones in which volumes may be provisioned."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel


class TopologySelectorLabelRequirement(ApiModel):
    """A label key, and the values that a topology domain may have for it."""

    key: Annotated[str, Required()] = Field(
        default="", description="Key of the label, such as topology.kubernetes.io/zone."
    )
    values: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Allowed values of the label; the topology domain must have one of them."
    )


class TopologySelectorTerm(ApiModel):
    """Requirements on the labels of a topology domain such as a zone; all of them must hold."""

    struct_type: ClassVar[str] = "atomic"

    matchLabelExpressions: list[TopologySelectorLabelRequirement] = Field(
        default_factory=list, description="Requirements on topology labels, such as the zone, all of which must hold."
    )
