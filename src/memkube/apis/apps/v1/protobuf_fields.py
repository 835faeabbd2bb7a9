"""Field numbers of the apps/v1 messages. Source: the protobuf tags of the reference's types."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "ControllerRevision": "metadata=1 data=2 revision=3",
    "Deployment": "metadata=1 spec=2 status=3",
    "DeploymentCondition": "type=1 status=2 lastUpdateTime=6 lastTransitionTime=7 reason=4 message=5",
    "DeploymentSpec": (
        "replicas=1 selector=2 template=3 strategy=4 minReadySeconds=5 revisionHistoryLimit=6 paused=7 "
        "progressDeadlineSeconds=9"
    ),
    "DeploymentStatus": (
        "observedGeneration=1 replicas=2 updatedReplicas=3 readyReplicas=7 availableReplicas=4 unavailableReplicas=5 "
        "terminatingReplicas=9 conditions=6 collisionCount=8"
    ),
    "DeploymentStrategy": "type=1 rollingUpdate=2",
    "ReplicaSet": "metadata=1 spec=2 status=3",
    "ReplicaSetCondition": "type=1 status=2 lastTransitionTime=3 reason=4 message=5",
    "ReplicaSetSpec": "replicas=1 minReadySeconds=4 selector=2 template=3",
    "ReplicaSetStatus": (
        "replicas=1 fullyLabeledReplicas=2 readyReplicas=4 availableReplicas=5 terminatingReplicas=7 "
        "observedGeneration=3 conditions=6"
    ),
    "RollingUpdateDeployment": "maxUnavailable=1 maxSurge=2",
    "RollingUpdateStatefulSetStrategy": "partition=1 maxUnavailable=2",
    "StatefulSet": "metadata=1 spec=2 status=3",
    "StatefulSetCondition": "type=1 status=2 lastTransitionTime=3 reason=4 message=5",
    "StatefulSetOrdinals": "start=1",
    "StatefulSetPersistentVolumeClaimRetentionPolicy": "whenDeleted=1 whenScaled=2",
    "StatefulSetSpec": (
        "replicas=1 selector=2 template=3 volumeClaimTemplates=4 serviceName=5 podManagementPolicy=6 "
        "updateStrategy=7 revisionHistoryLimit=8 minReadySeconds=9 persistentVolumeClaimRetentionPolicy=10 ordinals=11"
    ),
    "StatefulSetStatus": (
        "observedGeneration=1 replicas=2 readyReplicas=3 currentReplicas=4 updatedReplicas=5 currentRevision=6 "
        "updateRevision=7 collisionCount=9 conditions=10 availableReplicas=11"
    ),
    "StatefulSetUpdateStrategy": "type=1 rollingUpdate=2",
}
