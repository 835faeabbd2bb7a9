from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Replace
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString, Time


class PodDisruptionBudgetSpec(ApiModel):
    """Selector of the protected pods, and the minimum of available or maximum of unavailable pods."""

    minAvailable: IntOrString | None = Field(
        default=None, description="Minimum number or percentage of pods that must stay available."
    )
    selector: Annotated[LabelSelector | None, Replace()] = Field(
        default=None,
        description="Labels of the pods that the budget covers; empty selects all of the namespace, unset none.",
    )
    maxUnavailable: IntOrString | None = Field(
        default=None, description="Maximum number or percentage of pods that may be unavailable."
    )
    unhealthyPodEvictionPolicy: Annotated[
        str | None, Named("v1.UnhealthyPodEvictionPolicyType", ("AlwaysAllow", "IfHealthyBudget"))
    ] = Field(
        default=None,
        description="Eviction of running but unready pods: AlwaysAllow, or IfHealthyBudget if enough pods are healthy.",
    )


class PodDisruptionBudgetStatus(ApiModel):
    """Observed state of a PodDisruptionBudget: pod counts, evicted pods and number of allowed disruptions."""

    observedGeneration: Int64 = Field(
        default=0, description="Generation of the budget from which the status was computed."
    )
    disruptedPods: dict[str, Time | None] = Field(
        default_factory=dict,
        description="Pods whose eviction was granted but which still exist, with the time of the grant.",
    )
    disruptionsAllowed: Annotated[Int32, Always()] = Field(
        default=0, description="Number of pods that may be evicted now."
    )
    currentHealthy: Annotated[Int32, Always()] = Field(
        default=0, description="Number of covered pods whose condition Ready is True."
    )
    desiredHealthy: Annotated[Int32, Always()] = Field(
        default=0, description="Minimum number of pods that must stay healthy."
    )
    expectedPods: Annotated[Int32, Always()] = Field(default=0, description="Number of pods that the budget covers.")
    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list,
        description="Conditions of the budget; DisruptionAllowed tells whether a pod may be evicted.",
    )


class PodDisruptionBudget(ApiObject):
    """A limit on voluntary disruptions of pods."""

    spec: PodDisruptionBudgetSpec = Field(
        default_factory=PodDisruptionBudgetSpec,
        description="Selector of the protected pods, and the limit on unavailable pods.",
    )
    status: PodDisruptionBudgetStatus = Field(
        default_factory=PodDisruptionBudgetStatus,
        description="Pod counts, evicted pods and the number of allowed disruptions.",
    )
