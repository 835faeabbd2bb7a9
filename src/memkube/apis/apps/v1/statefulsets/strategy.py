from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.apps.v1.statefulsets.types import (
    RollingUpdateStatefulSetStrategy,
    StatefulSet,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetUpdateStrategy,
)
from memkube.apis.apps.v1.statefulsets.validation import (
    validate_stateful_set,
    validate_stateful_set_status_update,
    validate_stateful_set_update,
)
from memkube.apis.core.v1.podspec.defaults import default_persistent_volume_claim, default_pod_template
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.apis.core.v1.podspec.warnings.containers import fraction_warnings
from memkube.apis.core.v1.workloads import WorkloadStrategy
from memkube.registry.declarations.strategy import StatusStrategy

REVISIONS_KEPT = 10
_CLAIMS = FieldPath("spec.volumeClaimTemplates")


def default_stateful_set(stateful_set: StatefulSet) -> None:
    """Set the defaults of a StatefulSet in place: replicas, update strategy, claim retention and templates."""
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
    default_persistent_volume_claim(claim)


class StatefulSetStrategy(WorkloadStrategy[StatefulSet]):
    """Defaults and validation of StatefulSets, and warnings about pod templates and volume claim templates.

    Source: ``pkg/registry/apps/statefulset/strategy.go``.
    """

    default = staticmethod(default_stateful_set)
    validate = staticmethod(validate_stateful_set)
    validate_update = staticmethod(validate_stateful_set_update)

    def drop_disabled(self, new: StatefulSet, old: StatefulSet | None) -> None:
        """Clear ``maxUnavailable`` of rolling updates: the feature MaxUnavailableStatefulSet is off by default."""
        super().drop_disabled(new, old)
        rolling, before = new.spec.updateStrategy.rollingUpdate, old.spec.updateStrategy.rollingUpdate if old else None
        if rolling is not None and (before is None or before.maxUnavailable is None):
            rolling.maxUnavailable = None

    def warnings_on_create(self, obj: StatefulSet) -> list[str]:
        """Return warnings about the pod template and volume claim templates of a new StatefulSet.

        As in kube-apiserver, a name that is not a DNS label causes no warning, unlike for other workloads.
        """
        return self.spec_warnings(obj) + _claim_warnings(obj)

    def warnings_on_update(self, new: StatefulSet, old: StatefulSet) -> list[str]:
        return super().warnings_on_update(new, old) + _claim_warnings(new, "Spec")


class StatefulSetStatusStrategy(StatusStrategy[StatefulSet], StatefulSetStrategy):
    """Strategy for writing the ``status`` subresource of StatefulSets, which cannot change the spec."""

    validate_update = staticmethod(validate_stateful_set_status_update)


def _claim_warnings(stateful_set: StatefulSet, spec: str = "") -> list[str]:
    """Return warnings about the volume claim templates and the revision history limit of a StatefulSet.

    `spec` is inserted into the field paths before ``resources``. As in kube-apiserver, it is "" for a new StatefulSet
    (``…volumeClaimTemplates[0].resources``) and ``Spec`` for an update (``…volumeClaimTemplates[0].Spec.resources``).
    """
    warnings: list[str] = []
    for index, claim in enumerate(stateful_set.spec.volumeClaimTemplates):
        claim_path = _CLAIMS.item(index)
        path = (claim_path.child(spec) if spec else claim_path).child("resources")
        warnings += fraction_warnings(claim.spec.resources.requests, ("storage",), path.child("requests"))
        warnings += fraction_warnings(claim.spec.resources.limits, ("storage",), path.child("limits"))
    limit = stateful_set.spec.revisionHistoryLimit
    if limit is not None and limit < 0:
        prose = "a negative value retains all historical revisions; a value >= 0 is recommended"
        warnings.append(f"spec.revisionHistoryLimit: {prose}")
    return warnings
