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
    """Maximum numbers of unavailable and of surplus pods during a rolling update; one of the two must be positive."""

    maxUnavailable: IntOrString | None = Field(
        default=None, description="Maximum number or percentage of nodes without an available pod during an update."
    )
    maxSurge: IntOrString | None = Field(
        default=None,
        description="Maximum number or percentage of nodes with both an old and a new pod during an update.",
    )


class DaemonSetUpdateStrategy(ApiModel):
    """Strategy for replacing old pods when the pod template changes: RollingUpdate or OnDelete."""

    type: Annotated[str, Named("v1.DaemonSetUpdateStrategyType", ("OnDelete", "RollingUpdate"))] = Field(
        default="",
        description="RollingUpdate replaces pods automatically; OnDelete waits until a client deletes a pod.",
    )
    rollingUpdate: RollingUpdateDaemonSet | None = Field(
        default=None, description="Maximum numbers of unavailable and of surplus pods, for type RollingUpdate."
    )


class DaemonSetSpec(ApiModel):
    """Desired state of a DaemonSet: selector, pod template and update strategy."""

    selector: Annotated[LabelSelector | None, Required()] = Field(
        default=None, description="Labels of the pods that the DaemonSet controls; must match the template; immutable."
    )
    template: Annotated[PodTemplateSpec, Required()] = Field(
        default_factory=PodTemplateSpec,
        description="Template of the pods; its scheduling constraints select the nodes.",
    )
    updateStrategy: DaemonSetUpdateStrategy = Field(
        default_factory=DaemonSetUpdateStrategy,
        description="Strategy for replacing old pods when the template changes.",
    )
    minReadySeconds: Int32 = Field(
        default=0, description="Seconds for which a pod must be ready before it counts as available."
    )
    revisionHistoryLimit: Int32 | None = Field(
        default=None, description="Number of old revisions to keep for rollbacks; 10 by default."
    )


class DaemonSetCondition(OlderCondition):
    """A condition of a DaemonSet. Kubernetes' own controller sets none."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.DaemonSetConditionType"), Required()] = Field(
        default="", description="Type of the condition in CamelCase, unique among the DaemonSet's conditions."
    )


class DaemonSetStatus(ApiModel):
    """Observed state of a DaemonSet: numbers of nodes that run the pod, should run it, or run it by mistake."""

    currentNumberScheduled: Annotated[Int32, Required()] = Field(
        default=0, description="Number of nodes that should run the pod and that run it."
    )
    numberMisscheduled: Annotated[Int32, Required()] = Field(
        default=0, description="Number of nodes that run the pod but should not."
    )
    desiredNumberScheduled: Annotated[Int32, Required()] = Field(
        default=0, description="Number of nodes that should run the pod."
    )
    numberReady: Annotated[Int32, Required()] = Field(default=0, description="Number of nodes that run a ready pod.")
    observedGeneration: Int64 = Field(
        default=0, description="Generation of the object that the controller observed when it wrote the status."
    )
    updatedNumberScheduled: Int32 = Field(
        default=0, description="Number of nodes that run a pod of the newest template."
    )
    numberAvailable: Int32 = Field(default=0, description="Number of nodes that run an available pod.")
    numberUnavailable: Int32 = Field(
        default=0, description="Number of nodes that should run the pod, but have no available one."
    )
    collisionCount: Int32 | None = Field(
        default=None,
        description="Number of hash collisions of revision names so far; an input of the hash in the next name.",
    )
    conditions: Annotated[list[DaemonSetCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the DaemonSet; Kubernetes' own controller sets none."
    )


class DaemonSet(ApiObject):
    """Runs one pod on each node that matches the pod template's node selector and affinity."""

    spec: DaemonSetSpec = Field(
        default_factory=DaemonSetSpec, description="Selector, pod template and update strategy of the DaemonSet."
    )
    status: DaemonSetStatus = Field(
        default_factory=DaemonSetStatus,
        description="Numbers of nodes by the state of their pod, written by the controller.",
    )
