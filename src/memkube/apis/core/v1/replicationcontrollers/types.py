from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Default, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import OlderCondition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class ReplicationControllerSpec(ApiModel):
    """Desired state of a ReplicationController: number of replicas, selector and pod template."""

    replicas: Annotated[Int32 | None, Default(1)] = Field(
        default=None, description="Desired number of pods; 1 by default."
    )
    minReadySeconds: Annotated[Int32, Default(0)] = Field(
        default=0, description="Seconds for which a pod must be ready before it counts as available."
    )
    selector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict, description="Labels of the pods; the template's labels by default."
    )
    template: PodTemplateSpec | None = Field(
        default=None, description="Labels and spec of new pods; a change does not affect existing pods."
    )


class ReplicationControllerCondition(OlderCondition):
    """A condition of a ReplicationController, such as ReplicaFailure."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.ReplicationControllerConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as ReplicaFailure."
    )


class ReplicationControllerStatus(ApiModel):
    """Observed state of a ReplicationController: replica counts and conditions."""

    replicas: Annotated[Int32, Required()] = Field(
        default=0, description="Number of active pods: those that have not ended and are not being deleted."
    )
    fullyLabeledReplicas: Int32 = Field(default=0, description="Number of pods that have all labels of the template.")
    readyReplicas: Int32 = Field(default=0, description="Number of active pods whose condition Ready is True.")
    availableReplicas: Int32 = Field(
        default=0, description="Number of active pods that have been ready for minReadySeconds."
    )
    observedGeneration: Int64 = Field(
        default=0, description="Generation of the object that the controller observed when it wrote the status."
    )
    conditions: Annotated[list[ReplicationControllerCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the ReplicationController, such as ReplicaFailure."
    )


class ReplicationController(ApiObject):
    """Keeps a given number of pods running that are created from the same template."""

    spec: ReplicationControllerSpec = Field(
        default_factory=ReplicationControllerSpec,
        description="Replicas, selector and pod template of the ReplicationController.",
    )
    status: ReplicationControllerStatus = Field(
        default_factory=ReplicationControllerStatus,
        description="Replica counts and conditions, written by the controller.",
    )
