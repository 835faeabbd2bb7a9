"""A template of pods and how a changed one takes the place of the old one."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required, RetainKeys
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString, Time
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class RollingUpdateDeployment(ApiModel):
    """How far the number of pods may move during an update."""

    maxUnavailable: IntOrString | None = Field(
        default=None, description="Number or percentage of pods that may be missing."
    )
    maxSurge: IntOrString | None = Field(
        default=None, description="Number or percentage of pods that there may be too many."
    )


class DeploymentStrategy(ApiModel):
    """How new pods replace old ones."""

    type: Annotated[str, Named("v1.DeploymentStrategyType", ("Recreate", "RollingUpdate"))] = Field(
        default="", description="Recreate ends all old pods first; RollingUpdate goes step by step."
    )
    rollingUpdate: RollingUpdateDeployment | None = Field(default=None, description="The steps of a RollingUpdate.")


class DeploymentSpec(ApiModel):
    """What is wanted."""

    replicas: Int32 | None = Field(default=None, description="How many pods are wanted; one where nothing is said.")
    selector: Annotated[LabelSelector | None, Required()] = Field(
        default=None, description="Which pods count; it never changes."
    )
    template: Annotated[PodTemplateSpec, Required()] = Field(
        default_factory=PodTemplateSpec, description="What the pods are like."
    )
    strategy: Annotated[DeploymentStrategy, RetainKeys()] = Field(
        default_factory=DeploymentStrategy, description="How pods of a changed template replace the others."
    )
    minReadySeconds: Int32 = Field(default=0, description="Seconds that a pod must be ready for to count as available.")
    revisionHistoryLimit: Int32 | None = Field(
        default=None, description="How many old ReplicaSets stay, to go back to; ten where nothing is said."
    )
    paused: bool = Field(default=False, description="Whether a changed template has to wait.")
    progressDeadlineSeconds: Int32 | None = Field(
        default=None, description="Seconds without progress after which the update is reported as failed."
    )


class DeploymentCondition(ApiModel):
    """One aspect of the state."""

    type: Annotated[str, Named("v1.DeploymentConditionType"), Required()] = Field(
        default="", description="Which aspect."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastUpdateTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the condition was written last."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why, in one CamelCase word.")
    message: str = Field(default="", description="Why, for people.")


class DeploymentStatus(ApiModel):
    """What there is."""

    observedGeneration: Int64 = Field(default=0, description="The generation that the status is about.")
    replicas: Int32 = Field(default=0, description="How many pods there are, of any template.")
    updatedReplicas: Int32 = Field(default=0, description="How many of them are of the present template.")
    readyReplicas: Int32 = Field(default=0, description="How many of them are ready.")
    availableReplicas: Int32 = Field(default=0, description="How many of them are available.")
    unavailableReplicas: Int32 = Field(default=0, description="How many more must become available.")
    terminatingReplicas: Int32 | None = Field(default=None, description="How many pods are on their way out.")
    conditions: Annotated[list[DeploymentCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Aspects of the state, such as Available and Progressing."
    )
    collisionCount: Int32 | None = Field(
        default=None, description="How often a name for a new ReplicaSet was taken; it goes into the next name."
    )


class Deployment(ApiObject):
    """Keeps a number of pods, and replaces them when their template changes."""

    spec: DeploymentSpec = Field(default_factory=DeploymentSpec, description="What is wanted.")
    status: DeploymentStatus = Field(default_factory=DeploymentStatus, description="What there is.")
