"""DaemonSets: one pod on each node."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import OlderCondition
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class RollingUpdateDaemonSet(ApiModel):
    """How many nodes are updated at a time; one of both is not zero."""

    maxUnavailable: IntOrString | None = Field(
        default=None, description="Number or percentage of nodes that may be without a pod during an update."
    )
    maxSurge: IntOrString | None = Field(
        default=None, description="Number or percentage of nodes that may have both pods during an update."
    )


class DaemonSetUpdateStrategy(ApiModel):
    """How pods of a changed template replace the others."""

    type: Annotated[str, Named("v1.DaemonSetUpdateStrategyType", ("OnDelete", "RollingUpdate"))] = Field(
        default="", description="RollingUpdate replaces pods; OnDelete waits for somebody to delete them."
    )
    rollingUpdate: RollingUpdateDaemonSet | None = Field(default=None, description="The steps of a RollingUpdate.")


class DaemonSetSpec(ApiModel):
    """What is wanted."""

    selector: Annotated[LabelSelector | None, Required()] = Field(
        default=None, description="Which pods count; it never changes."
    )
    template: Annotated[PodTemplateSpec, Required()] = Field(
        default_factory=PodTemplateSpec, description="What the pods are like, and which nodes get one."
    )
    updateStrategy: DaemonSetUpdateStrategy = Field(
        default_factory=DaemonSetUpdateStrategy, description="How pods of a changed template replace the others."
    )
    minReadySeconds: Int32 = Field(default=0, description="Seconds that a pod must be ready for to count as available.")
    revisionHistoryLimit: Int32 | None = Field(
        default=None, description="How many old revisions stay, to go back to; ten where nothing is said."
    )


class DaemonSetCondition(OlderCondition):
    """One aspect of the state."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.DaemonSetConditionType"), Required()] = Field(
        default="", description="Which aspect."
    )


class DaemonSetStatus(ApiModel):
    """What there is."""

    currentNumberScheduled: Annotated[Int32, Required()] = Field(
        default=0, description="How many nodes have a pod, as they should."
    )
    numberMisscheduled: Annotated[Int32, Required()] = Field(
        default=0, description="How many nodes have a pod, but should not."
    )
    desiredNumberScheduled: Annotated[Int32, Required()] = Field(
        default=0, description="How many nodes should have a pod."
    )
    numberReady: Annotated[Int32, Required()] = Field(default=0, description="How many of them have one that is ready.")
    observedGeneration: Int64 = Field(default=0, description="The generation that the status is about.")
    updatedNumberScheduled: Int32 = Field(default=0, description="How many of them have a pod of the newest template.")
    numberAvailable: Int32 = Field(default=0, description="How many of them have a pod that is available.")
    numberUnavailable: Int32 = Field(default=0, description="How many of them have none that is available.")
    collisionCount: Int32 | None = Field(
        default=None, description="How often a name for a revision was taken; it goes into the next name."
    )
    conditions: Annotated[list[DaemonSetCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Aspects of the state."
    )


class DaemonSet(ApiObject):
    """Keeps one pod on each node that its template admits."""

    spec: DaemonSetSpec = Field(default_factory=DaemonSetSpec, description="What is wanted.")
    status: DaemonSetStatus = Field(default_factory=DaemonSetStatus, description="What there is.")
