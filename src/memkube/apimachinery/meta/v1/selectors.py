"""Label selectors and field selectors as they occur in API objects."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel


class LabelSelectorRequirement(ApiModel):
    """One of the matchExpressions of a label selector: a key, an operator and values."""

    key: Annotated[str, Required()] = Field(
        default="", description="Key of the label that is compared with the values."
    )
    operator: Annotated[str, Named("v1.LabelSelectorOperator"), Required()] = Field(
        default="", description="Operator: In, NotIn, Exists or DoesNotExist."
    )
    values: list[str] = Field(
        default_factory=list, description="Values for the operators In and NotIn; otherwise empty."
    )


class LabelSelector(ApiModel):
    """A label selector: all requirements must be met. An empty selector selects all objects."""

    struct_type: ClassVar[str] = "atomic"

    matchLabels: dict[str, str] = Field(
        default_factory=dict, description="Labels that must be present with these values."
    )
    matchExpressions: list[LabelSelectorRequirement] = Field(
        default_factory=list, description="Further requirements for labels, which must all be met."
    )


class FieldSelectorRequirement(ApiModel):
    """One requirement of a field selector: a field path, an operator and values."""

    key: Annotated[str, Required()] = Field(
        default="", description="Path of the field that is compared with the values."
    )
    operator: Annotated[str, Named("v1.FieldSelectorOperator"), Required()] = Field(
        default="", description="Operator: In, NotIn, Exists or DoesNotExist."
    )
    values: list[str] = Field(
        default_factory=list, description="Values for the operators In and NotIn; otherwise empty."
    )


def printed(selector: LabelSelector | None) -> str:
    """Format a label selector as Go prints a pointer to it."""
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted(selector.matchLabels.items()))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{e.key},Operator:{e.operator},Values:[{' '.join(e.values)}],}},"
        for e in selector.matchExpressions
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
