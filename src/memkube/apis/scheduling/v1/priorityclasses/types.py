"""PriorityClasses: names for priorities of pods."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.scalars import Int32


class PriorityClass(ApiObject):
    """TODO."""

    value: Annotated[Int32, Always(), Default(0)] = Field(default=0, description="TODO")
    globalDefault: bool = Field(default_factory=False, description="TODO")
    description: str = Field(default="", description="TODO")
    preemptionPolicy: Annotated[str | None, Named("v1.PreemptionPolicy", ("Never", "PreemptLowerPriority"))] = Field(
        default=None, description="TODO"
    )
