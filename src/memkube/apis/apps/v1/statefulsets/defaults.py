"""What a StatefulSet gets where the client says nothing (``pkg/apis/apps/v1/defaults.go``)."""

from memkube.apis.apps.v1.statefulsets.types import (
    RollingUpdateStatefulSetStrategy,
    StatefulSet,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetUpdateStrategy,
)
from memkube.apis.core.v1.persistentvolumeclaims.types import PersistentVolumeClaim
from memkube.apis.core.v1.podspec.defaults import default_claim, default_pod_template, default_resource_list

REVISIONS_KEPT = 10


def default_stateful_set(stateful_set: StatefulSet) -> None:
    """Fills a StatefulSet in place."""
    spec = stateful_set.spec
    default_pod_template(spec.template)
    for claim in spec.volumeClaimTemplates:
        _default_claim_template(claim)
    spec.podManagementPolicy = spec.podManagementPolicy or "OrderedReady"
    _default_update_strategy(spec.updateStrategy)
    retention = spec.persistentVolumeClaimRetentionPolicy or StatefulSetPersistentVolumeClaimRetentionPolicy()
    retention.whenDeleted = retention.whenDeleted or "Retain"
    retention.whenScaled = retention.whenScaled or "Retain"
    spec.persistentVolumeClaimRetentionPolicy = retention
    if spec.replicas is None:
        spec.replicas = 1
    if spec.revisionHistoryLimit is None:
        spec.revisionHistoryLimit = REVISIONS_KEPT


def _default_update_strategy(strategy: StatefulSetUpdateStrategy) -> None:
    if not strategy.type:
        strategy.type = "RollingUpdate"
        strategy.rollingUpdate = strategy.rollingUpdate or RollingUpdateStatefulSetStrategy()
    rolling = strategy.rollingUpdate
    if strategy.type == "RollingUpdate" and rolling is not None and rolling.partition is None:
        rolling.partition = 0


def _default_claim_template(claim: PersistentVolumeClaim) -> None:
    claim.kind, claim.apiVersion = "PersistentVolumeClaim", "v1"
    claim.status.phase = claim.status.phase or "Pending"
    default_resource_list(claim.status.capacity)
    default_resource_list(claim.status.allocatedResources)
    default_claim(claim.spec)
