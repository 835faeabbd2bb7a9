from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import OlderCondition
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class ReplicaSetSpec(ApiModel):
    """Desired state of a ReplicaSet: number of replicas, selector and pod template."""

    replicas: Int32 | None = Field(default=None, description="Desired number of pods; 1 by default.")
    minReadySeconds: Int32 = Field(
        default=0, description="Seconds for which a pod must be ready before it counts as available."
    )
    selector: Annotated[LabelSelector | None, Required()] = Field(
        default=None, description="Label selector of the pods; must match the template's labels."
    )
    template: PodTemplateSpec = Field(
        default_factory=PodTemplateSpec,
        description="Labels and spec of new pods; a change does not affect existing pods.",
    )


class ReplicaSetCondition(OlderCondition):
    """A condition of a ReplicaSet, such as ReplicaFailure."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.ReplicaSetConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as ReplicaFailure."
    )


class ReplicaSetStatus(ApiModel):
    """Observed state of a ReplicaSet: replica counts and conditions."""

    replicas: Annotated[Int32, Required()] = Field(
        default=0, description="Number of active pods: those that have not ended and are not being deleted."
    )
    fullyLabeledReplicas: Int32 = Field(default=0, description="Number of pods that have all labels of the template.")
    readyReplicas: Int32 = Field(default=0, description="Number of active pods whose condition Ready is True.")
    availableReplicas: Int32 = Field(
        default=0, description="Number of active pods that have been ready for minReadySeconds."
    )
    terminatingReplicas: Int32 | None = Field(
        default=None, description="Number of pods that are being deleted but have not ended yet."
    )
    observedGeneration: Int64 = Field(
        default=0, description="Generation of the object that the controller observed when it wrote the status."
    )
    conditions: Annotated[list[ReplicaSetCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the ReplicaSet, such as ReplicaFailure."
    )


class ReplicaSet(ApiObject):
    """Keeps a given number of pods running that are created from the same template."""

    spec: ReplicaSetSpec = Field(
        default_factory=ReplicaSetSpec, description="Replicas, selector and pod template of the ReplicaSet."
    )
    status: ReplicaSetStatus = Field(
        default_factory=ReplicaSetStatus,
        description="Replica counts and conditions of the ReplicaSet, written by the controller.",
    )
