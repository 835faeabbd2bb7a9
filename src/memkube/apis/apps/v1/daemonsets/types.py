"""DaemonSets: one pod on each node."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString, Time
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class RollingUpdateDaemonSet(ApiModel):
    """TODO."""

    maxUnavailable: IntOrString | None = Field(default=None, description="TODO")
    maxSurge: IntOrString | None = Field(default=None, description="TODO")


class DaemonSetUpdateStrategy(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.DaemonSetUpdateStrategyType", ("OnDelete", "RollingUpdate"))] = Field(
        default="", description="TODO"
    )
    rollingUpdate: RollingUpdateDaemonSet | None = Field(default=None, description="TODO")


class DaemonSetSpec(ApiModel):
    """TODO."""

    selector: Annotated[LabelSelector | None, Required()] = Field(default=None, description="TODO")
    template: Annotated[PodTemplateSpec, Required()] = Field(default_factory=PodTemplateSpec, description="TODO")
    updateStrategy: DaemonSetUpdateStrategy = Field(default_factory=DaemonSetUpdateStrategy, description="TODO")
    minReadySeconds: Int32 = Field(default=0, description="TODO")
    revisionHistoryLimit: Int32 | None = Field(default=None, description="TODO")


class DaemonSetCondition(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.DaemonSetConditionType"), Required()] = Field(default="", description="TODO")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(default="", description="TODO")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(default=None, description="TODO")
    reason: str = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")


class DaemonSetStatus(ApiModel):
    """TODO."""

    currentNumberScheduled: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    numberMisscheduled: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    desiredNumberScheduled: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    numberReady: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    observedGeneration: Int64 = Field(default=0, description="TODO")
    updatedNumberScheduled: Int32 = Field(default=0, description="TODO")
    numberAvailable: Int32 = Field(default=0, description="TODO")
    numberUnavailable: Int32 = Field(default=0, description="TODO")
    collisionCount: Int32 | None = Field(default=None, description="TODO")
    conditions: Annotated[list[DaemonSetCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="TODO"
    )


class DaemonSet(ApiObject):
    """TODO."""

    spec: DaemonSetSpec = Field(default_factory=DaemonSetSpec, description="TODO")
    status: DaemonSetStatus = Field(default_factory=DaemonSetStatus, description="TODO")
