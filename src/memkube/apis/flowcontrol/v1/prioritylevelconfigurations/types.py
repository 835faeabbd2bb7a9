from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, MapList, Merge, Named, OneOf, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time


class QueuingConfiguration(ApiModel):
    """Number and length of the queues for requests that exceed the concurrency limit of a priority level."""

    queues: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="Number of queues of the priority level; 64 by default."
    )
    handSize: Annotated[Int32, Always(), Default(0)] = Field(
        default=0,
        description="Number of queues that one flow can use; a request joins the shortest of them; 8 by default.",
    )
    queueLengthLimit: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="Maximum number of requests in a queue; 50 by default."
    )


class LimitResponse(ApiModel):
    """Whether requests that exceed the concurrency limit of a priority level are queued or rejected."""

    union: ClassVar[OneOf] = OneOf("type", ("queuing",))

    type: Annotated[str, Named("v1.LimitResponseType"), Required()] = Field(
        default="", description="Handling of excess requests: Queue, or Reject with status 429."
    )
    queuing: QueuingConfiguration | None = Field(
        default=None, description="Number and length of the queues; only for type Queue."
    )


class LimitedPriorityLevelConfiguration(ApiModel):
    """Concurrency limit of a priority level, and the handling of excess requests."""

    nominalConcurrencyShares: Annotated[Int32 | None, Always()] = Field(
        default=None, description="Share of the server's concurrency, relative to other levels; 30 by default."
    )
    limitResponse: LimitResponse = Field(
        default_factory=LimitResponse,
        description="Whether requests that exceed the concurrency limit are queued or rejected.",
    )
    lendablePercent: Int32 | None = Field(
        default=None, description="Percentage of the level's concurrency that other levels may borrow; 0 by default."
    )
    borrowingLimitPercent: Int32 | None = Field(
        default=None,
        description="Concurrency that the level may borrow from others, in percent of its own; unlimited if unset.",
    )


class ExemptPriorityLevelConfiguration(ApiModel):
    """Concurrency shares of an exempt priority level, whose requests are never queued."""

    nominalConcurrencyShares: Int32 | None = Field(
        default=None, description="Share of the server's concurrency reserved for the level; 0 by default."
    )
    lendablePercent: Int32 | None = Field(
        default=None, description="Percentage of the level's concurrency that other levels may borrow; 0 by default."
    )


class PriorityLevelConfigurationSpec(ApiModel):
    """Type of a priority level (Exempt or Limited) and its limits."""

    union: ClassVar[OneOf] = OneOf(
        "type",
        (
            "exempt",
            "limited",
        ),
    )

    type: Annotated[str, Named("v1.PriorityLevelEnablement"), Required()] = Field(
        default="", description="Type of the level: Limited, or Exempt if its requests are never queued or rejected."
    )
    limited: LimitedPriorityLevelConfiguration | None = Field(
        default=None, description="Concurrency limit and handling of excess requests; only for type Limited."
    )
    exempt: ExemptPriorityLevelConfiguration | None = Field(
        default=None, description="Concurrency that is reserved for the level or lent to others; only for type Exempt."
    )


class PriorityLevelConfigurationCondition(ApiModel):
    """A condition of a PriorityLevelConfiguration. kube-apiserver sets none."""

    type: Annotated[str, Named("v1.PriorityLevelConfigurationConditionType")] = Field(
        default="", description="Type of the condition, unique among the priority level's conditions."
    )
    status: Annotated[str, Named("v1.ConditionStatus")] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the last change of status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable reason for the last change of status.")


class PriorityLevelConfigurationStatus(ApiModel):
    """Observed state of a PriorityLevelConfiguration: its conditions."""

    conditions: Annotated[list[PriorityLevelConfigurationCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the priority level; kube-apiserver sets none."
    )


class PriorityLevelConfiguration(ApiObject):
    """A priority level: limits on its concurrent requests, and the handling of excess requests."""

    spec: PriorityLevelConfigurationSpec = Field(
        default_factory=PriorityLevelConfigurationSpec,
        description="Type of the priority level (Limited or Exempt), and its limits.",
    )
    status: PriorityLevelConfigurationStatus = Field(
        default_factory=PriorityLevelConfigurationStatus,
        description="Conditions of the priority level; kube-apiserver sets none.",
    )
