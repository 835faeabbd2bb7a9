from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required, RetainKeys
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString, Time
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class RollingUpdateDeployment(ApiModel):
    """Maximum numbers of unavailable and of surplus pods during a rolling update."""

    maxUnavailable: IntOrString | None = Field(
        default=None, description="Maximum number or percentage of unavailable pods during an update."
    )
    maxSurge: IntOrString | None = Field(
        default=None, description="Maximum number or percentage of pods in excess of spec.replicas during an update."
    )


class DeploymentStrategy(ApiModel):
    """Strategy for replacing old pods when the pod template changes: RollingUpdate or Recreate."""

    type: Annotated[str, Named("v1.DeploymentStrategyType", ("Recreate", "RollingUpdate"))] = Field(
        default="", description="Recreate stops all old pods first; RollingUpdate replaces them gradually."
    )
    rollingUpdate: RollingUpdateDeployment | None = Field(
        default=None, description="Maximum numbers of unavailable and of surplus pods, for type RollingUpdate."
    )


class DeploymentSpec(ApiModel):
    """Desired state of a Deployment: replicas, selector, pod template and update strategy."""

    replicas: Int32 | None = Field(default=None, description="Desired number of pods; 1 by default.")
    selector: Annotated[LabelSelector | None, Required()] = Field(
        default=None, description="Labels of the pods that the Deployment controls; must match the template; immutable."
    )
    template: Annotated[PodTemplateSpec, Required()] = Field(
        default_factory=PodTemplateSpec, description="Labels and spec of the pods; a change starts a rollout."
    )
    strategy: Annotated[DeploymentStrategy, RetainKeys()] = Field(
        default_factory=DeploymentStrategy, description="Strategy for replacing old pods when the template changes."
    )
    minReadySeconds: Int32 = Field(
        default=0, description="Seconds for which a pod must be ready before it counts as available."
    )
    revisionHistoryLimit: Int32 | None = Field(
        default=None, description="Number of old ReplicaSets to keep for rollbacks; 10 by default."
    )
    paused: bool = Field(default=False, description="True to start no rollout when the template changes.")
    progressDeadlineSeconds: Int32 | None = Field(
        default=None, description="Seconds without progress after which the rollout is reported as failed."
    )


class DeploymentCondition(ApiModel):
    """A condition of a Deployment: Available, Progressing or ReplicaFailure."""

    type: Annotated[str, Named("v1.DeploymentConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as Available."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastUpdateTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last write of the condition, even if its status did not change."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the condition's status.")


class DeploymentStatus(ApiModel):
    """Observed state of a Deployment: replica counts and conditions."""

    observedGeneration: Int64 = Field(
        default=0, description="Generation of the object that the controller observed when it wrote the status."
    )
    replicas: Int32 = Field(default=0, description="Number of pods of the current template and of older templates.")
    updatedReplicas: Int32 = Field(
        default=0, description="Number of pods that were created from the current pod template."
    )
    readyReplicas: Int32 = Field(
        default=0, description="Number of pods of the Deployment whose condition Ready is True."
    )
    availableReplicas: Int32 = Field(default=0, description="Number of pods that have been ready for minReadySeconds.")
    unavailableReplicas: Int32 = Field(default=0, description="Number of pods that are still missing or unavailable.")
    terminatingReplicas: Int32 | None = Field(
        default=None, description="Number of pods that are being deleted but have not ended yet."
    )
    conditions: Annotated[list[DeploymentCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the Deployment, such as Available and Progressing."
    )
    collisionCount: Int32 | None = Field(
        default=None,
        description="Number of hash collisions of ReplicaSet names so far; an input of the hash in the next name.",
    )


class Deployment(ApiObject):
    """Runs a number of identical pods, and replaces them step by step when their template changes."""

    spec: DeploymentSpec = Field(
        default_factory=DeploymentSpec,
        description="Replicas, selector, pod template and update strategy of the Deployment.",
    )
    status: DeploymentStatus = Field(
        default_factory=DeploymentStatus,
        description="Replica counts and conditions of the Deployment, written by the controller.",
    )
