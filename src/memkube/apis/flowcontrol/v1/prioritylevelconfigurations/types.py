"""PriorityLevelConfigurations: how many requests are served at once."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time


class QueuingConfiguration(ApiModel):
    """TODO."""

    queues: Annotated[Int32, Always(), Default(0)] = Field(default=0, description="TODO")
    handSize: Annotated[Int32, Always(), Default(0)] = Field(default=0, description="TODO")
    queueLengthLimit: Annotated[Int32, Always(), Default(0)] = Field(default=0, description="TODO")


class LimitResponse(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.LimitResponseType"), Required()] = Field(default="", description="TODO")
    queuing: QueuingConfiguration | None = Field(default=None, description="TODO")


class LimitedPriorityLevelConfiguration(ApiModel):
    """TODO."""

    nominalConcurrencyShares: Annotated[Int32 | None, Always()] = Field(default=None, description="TODO")
    limitResponse: LimitResponse = Field(default_factory=LimitResponse, description="TODO")
    lendablePercent: Int32 | None = Field(default=None, description="TODO")
    borrowingLimitPercent: Int32 | None = Field(default=None, description="TODO")


class ExemptPriorityLevelConfiguration(ApiModel):
    """TODO."""

    nominalConcurrencyShares: Int32 | None = Field(default=None, description="TODO")
    lendablePercent: Int32 | None = Field(default=None, description="TODO")


class PriorityLevelConfigurationSpec(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.PriorityLevelEnablement"), Required()] = Field(default="", description="TODO")
    limited: LimitedPriorityLevelConfiguration | None = Field(default=None, description="TODO")
    exempt: ExemptPriorityLevelConfiguration | None = Field(default=None, description="TODO")


class PriorityLevelConfigurationCondition(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.PriorityLevelConfigurationConditionType")] = Field(default="", description="TODO")
    status: Annotated[str, Named("v1.ConditionStatus")] = Field(default="", description="TODO")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(default=None, description="TODO")
    reason: str = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")


class PriorityLevelConfigurationStatus(ApiModel):
    """TODO."""

    conditions: Annotated[list[PriorityLevelConfigurationCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="TODO"
    )


class PriorityLevelConfiguration(ApiObject):
    """TODO."""

    spec: PriorityLevelConfigurationSpec = Field(default_factory=PriorityLevelConfigurationSpec, description="TODO")
    status: PriorityLevelConfigurationStatus = Field(
        default_factory=PriorityLevelConfigurationStatus, description="TODO"
    )
