"""PriorityClasses: names for priorities of pods."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Int32


class PriorityClass(ApiObject):
    """A name for a priority that pods can have."""

    value: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="The priority: a pod with a higher one goes before. It cannot be changed."
    )
    globalDefault: bool = Field(
        default=False, description="Whether pods without a class have this one; one class at most is the default."
    )
    description: str = Field(default="", description="When the class is to be used, for people to read.")
    preemptionPolicy: Annotated[str | None, Named("v1.PreemptionPolicy", ("Never", "PreemptLowerPriority"))] = Field(
        default=None,
        description="Whether pods may push out others: Never or PreemptLowerPriority, the default. It stays.",
    )
