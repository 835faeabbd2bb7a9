"""PriorityLevelConfigurations: how many requests are served at once."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time


class QueuingConfiguration(ApiModel):
    """How requests of a level wait."""

    queues: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="How many queues the level has; 64 if not given."
    )
    handSize: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="Of how many queues a flow's requests take the shortest; 8 if not given."
    )
    queueLengthLimit: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="How many requests may wait in one queue; 50 if not given."
    )


class LimitResponse(ApiModel):
    """What becomes of requests that cannot be served at once."""

    type: Annotated[str, Named("v1.LimitResponseType"), Required()] = Field(
        default="", description="Queue to let them wait, Reject to refuse them."
    )
    queuing: QueuingConfiguration | None = Field(default=None, description="How they wait, if the type is Queue.")


class LimitedPriorityLevelConfiguration(ApiModel):
    """The limits of a level."""

    nominalConcurrencyShares: Annotated[Int32 | None, Always()] = Field(
        default=None, description="The level's share of the server's seats, beside those of others; 30 if not given."
    )
    limitResponse: LimitResponse = Field(
        default_factory=LimitResponse, description="What becomes of requests that cannot be served at once."
    )
    lendablePercent: Int32 | None = Field(
        default=None, description="How much of its seats the level lends to others, in percent; 0 if not given."
    )
    borrowingLimitPercent: Int32 | None = Field(
        default=None, description="How many seats the level may borrow, in percent of its own; any number if not given."
    )


class ExemptPriorityLevelConfiguration(ApiModel):
    """How a level without limits counts beside the others."""

    nominalConcurrencyShares: Int32 | None = Field(
        default=None, description="Share of the seats that are set aside for the level; 0 if not given."
    )
    lendablePercent: Int32 | None = Field(
        default=None, description="How much of them the level lends to others, in percent; 0 if not given."
    )


class PriorityLevelConfigurationSpec(ApiModel):
    """How requests of a level are served."""

    type: Annotated[str, Named("v1.PriorityLevelEnablement"), Required()] = Field(
        default="", description="Limited, or Exempt for requests that never wait."
    )
    limited: LimitedPriorityLevelConfiguration | None = Field(
        default=None, description="The limits, if the type is Limited."
    )
    exempt: ExemptPriorityLevelConfiguration | None = Field(
        default=None, description="How the level counts beside the others, if the type is Exempt."
    )


class PriorityLevelConfigurationCondition(ApiModel):
    """Something observed of a PriorityLevelConfiguration."""

    type: Annotated[str, Named("v1.PriorityLevelConfigurationConditionType")] = Field(
        default="", description="Name of the condition."
    )
    status: Annotated[str, Named("v1.ConditionStatus")] = Field(default="", description="True, False or Unknown.")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why the status changed, in one CamelCase word.")
    message: str = Field(default="", description="The same for people.")


class PriorityLevelConfigurationStatus(ApiModel):
    """What has been observed of a PriorityLevelConfiguration."""

    conditions: Annotated[list[PriorityLevelConfigurationCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the level by type."
    )


class PriorityLevelConfiguration(ApiObject):
    """A priority level: how many of its requests are served at once, and what becomes of the others."""

    spec: PriorityLevelConfigurationSpec = Field(
        default_factory=PriorityLevelConfigurationSpec, description="How requests of the level are served."
    )
    status: PriorityLevelConfigurationStatus = Field(
        default_factory=PriorityLevelConfigurationStatus, description="What has been observed of the level."
    )
