"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.meta.v1.label_selector import LabelSelector
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString, Time


class PodDisruptionBudgetSpec(ApiModel):
    """."""

    minAvailable: IntOrString | None = Field(default=None, description="")
    selector: LabelSelector | None = Field(default=None, description="")
    maxUnavailable: IntOrString | None = Field(default=None, description="")
    unhealthyPodEvictionPolicy: Annotated[str | None, Named("v1.UnhealthyPodEvictionPolicyType", ("AlwaysAllow", "IfHealthyBudget"))] = Field(default=None, description="")


class PodDisruptionBudgetStatus(ApiModel):
    """."""

    observedGeneration: Int64 = Field(default=0, description="")
    disruptedPods: dict[str, Time | None] = Field(default_factory=dict, description="")
    disruptionsAllowed: Annotated[Int32, Always()] = Field(default=0, description="")
    currentHealthy: Annotated[Int32, Always()] = Field(default=0, description="")
    desiredHealthy: Annotated[Int32, Always()] = Field(default=0, description="")
    expectedPods: Annotated[Int32, Always()] = Field(default=0, description="")
    conditions: Annotated[list[Condition], MapList(("type",)), Merge("type")] = Field(default_factory=list, description="")


class PodDisruptionBudget(ApiObject):
    """."""

    spec: PodDisruptionBudgetSpec = Field(default_factory=PodDisruptionBudgetSpec, description="")
    status: PodDisruptionBudgetStatus = Field(default_factory=PodDisruptionBudgetStatus, description="")
