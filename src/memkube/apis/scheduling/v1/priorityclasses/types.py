from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Int32


class PriorityClass(ApiObject):
    """A named priority for pods."""

    value: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="Priority of the class's pods; pods with higher values are scheduled first. Immutable."
    )
    globalDefault: bool = Field(
        default=False, description="True if the class is the default for pods; at most one class may be."
    )
    description: str = Field(default="", description="Human-readable description of when to use the class.")
    preemptionPolicy: Annotated[str | None, Named("v1.PreemptionPolicy", ("Never", "PreemptLowerPriority"))] = Field(
        default=None,
        description="Preemption policy: Never or PreemptLowerPriority (the default). Immutable.",
    )
