"""Limits on how many pods may be disrupted at a time."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Replace
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString, Time


class PodDisruptionBudgetSpec(ApiModel):
    """Which pods are protected, and how far."""

    minAvailable: IntOrString | None = Field(
        default=None, description="Number or percentage of pods that must stay available."
    )
    selector: Annotated[LabelSelector | None, Replace()] = Field(
        default=None, description="Pods that the budget covers; an empty selector covers the namespace."
    )
    maxUnavailable: IntOrString | None = Field(
        default=None, description="Number or percentage of pods that may be unavailable."
    )
    unhealthyPodEvictionPolicy: Annotated[
        str | None, Named("v1.UnhealthyPodEvictionPolicyType", ("AlwaysAllow", "IfHealthyBudget"))
    ] = Field(default=None, description="When running pods that are not ready may go: IfHealthyBudget or AlwaysAllow.")


class PodDisruptionBudgetStatus(ApiModel):
    """What the budget allows at present."""

    observedGeneration: Int64 = Field(
        default=0, description="Generation of the budget that the status was computed from."
    )
    disruptedPods: dict[str, Time | None] = Field(
        default_factory=dict,
        description="Pods whose eviction was granted and that are not gone yet, with the time of the grant.",
    )
    disruptionsAllowed: Annotated[Int32, Always()] = Field(default=0, description="How many pods may be evicted now.")
    currentHealthy: Annotated[Int32, Always()] = Field(default=0, description="How many pods are healthy.")
    desiredHealthy: Annotated[Int32, Always()] = Field(default=0, description="How many pods must stay healthy.")
    expectedPods: Annotated[Int32, Always()] = Field(default=0, description="How many pods the budget counts on.")
    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="State of the budget, such as DisruptionAllowed."
    )


class PodDisruptionBudget(ApiObject):
    """A limit on how many pods may be disrupted at a time."""

    spec: PodDisruptionBudgetSpec = Field(
        default_factory=PodDisruptionBudgetSpec, description="Which pods are protected, and how far."
    )
    status: PodDisruptionBudgetStatus = Field(
        default_factory=PodDisruptionBudgetStatus, description="What the budget allows at present."
    )
