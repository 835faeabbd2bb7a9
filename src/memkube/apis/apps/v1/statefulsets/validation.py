"""Validation of StatefulSets: name, pod and claim templates, update strategy, claim retention and status counts.

Source: ``pkg/apis/apps/validation``.
"""

from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    invalid_typed,
    not_supported,
    required,
)
from memkube.apimachinery.meta.validation.labels import validate_labels
from memkube.apimachinery.meta.validation.object_meta import validate_annotations, validate_nonnegative
from memkube.apimachinery.names import is_dns1123_label, label_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.apps.v1.statefulsets.types import (
    RollingUpdateStatefulSetStrategy,
    StatefulSet,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetSpec,
    StatefulSetUpdateStrategy,
)
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec
from memkube.apis.core.v1.podspec.types.volumes import PersistentVolumeClaimVolumeSource, Volume
from memkube.apis.core.v1.podspec.validation.annotations import validate_pod_annotations
from memkube.apis.core.v1.podspec.validation.claims import validate_claim_spec
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec
from memkube.apis.core.v1.workloads import (
    plain_number,
    validate_at_most_100_percent,
    validate_count_or_percentage,
    validate_counts,
    validate_not_decremented,
    validate_restarts_always,
    validate_selected,
    validate_selector,
    validate_status_counts,
)

_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_RETENTION: Final = ("Retain", "Delete")
_COUNTS: Final = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)
_PARTS: Final = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
_MUTABLE: Final = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_FROZEN: Final = tuple(name for name in StatefulSetSpec.model_fields if name not in _MUTABLE)


@dataclass(frozen=True, slots=True)
class _Tolerated:
    """Rules that an updated StatefulSet may break, because the stored StatefulSet breaks them already."""

    service_name: bool = False
    claims: bool = False
    template: bool = False


def validate_stateful_set(stateful_set: StatefulSet) -> list[FieldError]:
    """Validate a new StatefulSet: its metadata and all rules for its spec. Its name must be a DNS label."""
    errors = validate_metadata(stateful_set.metadata, label_name, namespaced=True)
    return errors + _spec_errors(stateful_set.spec, _Tolerated())


def validate_stateful_set_update(new: StatefulSet, old: StatefulSet) -> list[FieldError]:
    """Validate an update of a StatefulSet: most fields of the spec are immutable."""
    was_wrong = bool(_spec_errors(old.spec, _Tolerated(service_name=True, claims=True)))
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += _spec_errors(new.spec, _Tolerated(service_name=True, claims=True, template=was_wrong))
    if any(getattr(new.spec, name) != getattr(old.spec, name) for name in _FROZEN):
        names = f"{', '.join(map(repr, _MUTABLE[:-1]))} and {_MUTABLE[-1]!r}"
        errors.append(forbidden(_SPEC, f"updates to statefulset spec for fields other than {names} are forbidden"))
    return errors


def validate_stateful_set_status_update(new: StatefulSet, old: StatefulSet) -> list[FieldError]:
    """Validate an update of a StatefulSet's status.

    No count is negative, no part of the replicas (such as readyReplicas) exceeds `replicas`, and `collisionCount` does
    not decrease.
    """
    errors = validate_status_counts(
        new.status, _COUNTS, _PARTS, _STATUS, "status.readyReplicas"
    ) + validate_metadata_update(new.metadata, old.metadata)
    path = _STATUS.child("collisionCount")
    return errors + validate_not_decremented(new.status.collisionCount, old.status.collisionCount, path)


def _spec_errors(spec: StatefulSetSpec, tolerated: _Tolerated) -> list[FieldError]:
    errors = _policy_errors(spec)
    if not tolerated.claims:
        path = _SPEC.child("volumeClaimTemplates")
        for index, claim in enumerate(spec.volumeClaimTemplates):
            errors += validate_claim_spec(claim.spec, path.item(index).child("spec"))
    errors += validate_counts(spec, ("replicas", "minReadySeconds"), _SPEC)
    if spec.ordinals is not None:
        errors += validate_nonnegative(spec.ordinals.start, _SPEC.child("ordinals.start"))
    if spec.serviceName and not tolerated.service_name:
        path = _SPEC.child("serviceName")
        errors += [invalid(path, spec.serviceName, message) for message in is_dns1123_label(spec.serviceName)]
    errors += validate_selector(spec.selector, _SPEC.child("selector"), "statefulset")
    errors += _template_errors(spec, tolerated)
    return errors + validate_restarts_always(spec.template, _SPEC.child("template"), "StatefulSet")


def _policy_errors(spec: StatefulSetSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    path, policy = _SPEC.child("podManagementPolicy"), spec.podManagementPolicy
    if not policy:
        errors.append(required(path))
    elif policy not in ("OrderedReady", "Parallel"):
        errors.append(invalid_typed(path, policy, "must be 'OrderedReady' or 'Parallel'"))
    errors += _update_strategy_errors(spec.updateStrategy, _SPEC.child("updateStrategy"))
    retention = spec.persistentVolumeClaimRetentionPolicy
    return errors + (_retention_errors(retention) if retention is not None else [])


def _update_strategy_errors(strategy: StatefulSetUpdateStrategy, path: FieldPath) -> list[FieldError]:
    rolling, rolling_path = strategy.rollingUpdate, path.child("rollingUpdate")
    if not strategy.type:
        return [required(path)]
    if strategy.type == "OnDelete":
        why = "only allowed for updateStrategy 'RollingUpdate'"
        return (
            [invalid(rolling_path, InternalValue(_internal_rolling_update(rolling)), why)]
            if rolling is not None
            else []
        )
    if strategy.type != "RollingUpdate":
        filled = StatefulSetUpdateStrategy(type=strategy.type, rollingUpdate=_internal_rolling_update(rolling))
        return [invalid(path, InternalValue(filled), "must be 'RollingUpdate' or 'OnDelete'")]
    return _rolling_errors(rolling, rolling_path) if rolling is not None else []


def _internal_rolling_update(
    rolling: RollingUpdateStatefulSetStrategy | None,
) -> RollingUpdateStatefulSetStrategy | None:
    """Return the rolling update in kube-apiserver's internal version, where the partition is always set."""
    return rolling.model_copy(update={"partition": rolling.partition or 0}) if rolling else None


def _rolling_errors(rolling: RollingUpdateStatefulSetStrategy, path: FieldPath) -> list[FieldError]:
    errors = validate_nonnegative(rolling.partition or 0, path.child("partition"))
    unavailable, path = rolling.maxUnavailable, path.child("maxUnavailable")
    if unavailable is None:
        return errors
    errors += validate_count_or_percentage(unavailable, path)
    if plain_number(unavailable) == 0:
        errors.append(invalid(path, unavailable, "cannot be 0"))
    return errors + validate_at_most_100_percent(unavailable, path)


def _retention_errors(retention: StatefulSetPersistentVolumeClaimRetentionPolicy) -> list[FieldError]:
    path = _SPEC.child("persistentVolumeClaimRetentionPolicy")
    return [
        not_supported(path.child(name), value, _RETENTION)
        for name in ("whenDeleted", "whenScaled")
        if (value := getattr(retention, name)) not in _RETENTION
    ]


def _template_errors(spec: StatefulSetSpec, tolerated: _Tolerated) -> list[FieldError]:
    template, path = _pod_template(spec), _SPEC.child("template")
    mismatch = validate_selected(template, spec.selector, path)
    if mismatch is None:
        return [invalid(_SPEC.child("selector"), spec.selector, "")]
    errors = mismatch + ([] if tolerated.template else validate_pod_template_spec(template, path))
    metadata = template.metadata
    errors += validate_labels(metadata.labels, path.child("labels"))
    errors += validate_annotations(metadata.annotations, path.child("annotations"))
    return errors + validate_pod_annotations(metadata.annotations, template.spec, path.child("annotations"))


def _pod_template(spec: StatefulSetSpec) -> PodTemplateSpec:
    """Return the pod template with one more volume for each volume claim template, because containers may mount these.

    `subdomain` and `hostname` are cleared, because the StatefulSet controller sets them.
    """
    volumes = {
        claim.metadata.name: Volume(
            name=claim.metadata.name,
            persistentVolumeClaim=PersistentVolumeClaimVolumeSource(claimName=claim.metadata.name),
        )
        for claim in spec.volumeClaimTemplates
    }
    others = [volume for volume in spec.template.spec.volumes if volume.name not in volumes]
    changed = {"subdomain": "", "hostname": "", "volumes": [*volumes.values(), *others]}
    return spec.template.model_copy(update={"spec": spec.template.spec.model_copy(update=changed)})
