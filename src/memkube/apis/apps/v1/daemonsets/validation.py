"""Defaults and validation of DaemonSets: selector, pod template, update strategy, status counts (``pkg/apis/apps``)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.apps.v1.daemonsets.types import (
    DaemonSet,
    DaemonSetSpec,
    DaemonSetUpdateStrategy,
    RollingUpdateDaemonSet,
)
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.defaults import default_pod_template
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec
from memkube.apis.core.v1.workloads import (
    plain_number,
    validate_at_most_100_percent,
    validate_count_or_percentage,
    validate_counts,
    validate_not_decremented,
    validate_restarts_always,
    validate_selected,
)

REVISIONS_KEPT: Final = 10
_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_TYPES: Final = ("RollingUpdate", "OnDelete")
_COUNTS: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)


def default_daemon_set(daemon_set: DaemonSet) -> None:
    """Set the defaults of a DaemonSet in place: pod template, update strategy and revision history limit."""
    spec = daemon_set.spec
    default_pod_template(spec.template)
    strategy = spec.updateStrategy
    strategy.type = strategy.type or "RollingUpdate"
    if strategy.type == "RollingUpdate":
        rolling = strategy.rollingUpdate = strategy.rollingUpdate or RollingUpdateDaemonSet()
        rolling.maxUnavailable = 1 if rolling.maxUnavailable is None else rolling.maxUnavailable
    if strategy.rollingUpdate is not None:
        # kube-apiserver converts the object to its internal version and back. There, maxUnavailable and maxSurge are no
        # pointers, so an unset one becomes 0.
        rolling = strategy.rollingUpdate
        rolling.maxUnavailable, rolling.maxSurge = _step(rolling.maxUnavailable), _step(rolling.maxSurge)
    if spec.revisionHistoryLimit is None:
        spec.revisionHistoryLimit = REVISIONS_KEPT


def validate_daemon_set(daemon_set: DaemonSet) -> list[FieldError]:
    """Validate a new DaemonSet: its metadata, selector, pod template and update strategy."""
    return validate_metadata(daemon_set.metadata, subdomain_name, namespaced=True) + _spec_errors(daemon_set.spec)


def validate_daemon_set_update(new: DaemonSet, old: DaemonSet) -> list[FieldError]:
    """Validate an update of a DaemonSet: the selector is immutable."""
    any_values = bool(validate_label_selector(old.spec.selector, _SPEC))
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += validate_immutable(new.spec.selector, old.spec.selector, _SPEC.child("selector"))
    return errors + _spec_errors(new.spec, any_values=any_values)


def validate_daemon_set_status_update(new: DaemonSet, old: DaemonSet) -> list[FieldError]:
    """Validate an update of a DaemonSet's status: counts are not negative, and collisionCount does not decrease."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += validate_counts(new.status, _COUNTS, _STATUS)
    path = _STATUS.child("collisionCount")
    return errors + validate_not_decremented(new.status.collisionCount, old.status.collisionCount, path)


def _spec_errors(spec: DaemonSetSpec, *, any_values: bool = False) -> list[FieldError]:
    selector, template, path = spec.selector, spec.template, _SPEC.child("selector")
    template_path = _SPEC.child("template")
    errors = validate_label_selector(selector, path, any_values=any_values)
    errors += validate_selected(template, selector, template_path) or []
    if selector is not None and not selector.matchLabels and not selector.matchExpressions:
        errors.append(invalid(path, selector, "empty selector is invalid for daemonset"))
    errors += validate_pod_template_spec(template, template_path)
    errors += validate_restarts_always(template, template_path, "DaemonSet")
    errors += validate_counts(spec, ("minReadySeconds",), _SPEC)
    errors += _strategy_errors(spec.updateStrategy, _SPEC.child("updateStrategy"))
    return errors + validate_counts(spec, ("revisionHistoryLimit",), _SPEC)


def _strategy_errors(strategy: DaemonSetUpdateStrategy, path: FieldPath) -> list[FieldError]:
    rolling = strategy.rollingUpdate
    if strategy.type == "OnDelete":
        return []
    if strategy.type != "RollingUpdate":
        return [not_supported(path, InternalValue(strategy), _TYPES)]
    if rolling is None:
        return [required(path.child("rollingUpdate"))]
    return _rolling_errors(rolling, path.child("rollingUpdate"))


def _step(value: int | str | None) -> int | str:
    return 0 if value is None else value


def _rolling_errors(rolling: RollingUpdateDaemonSet, path: FieldPath) -> list[FieldError]:
    unavailable, surge = _step(rolling.maxUnavailable), _step(rolling.maxSurge)
    unavailable_path, surge_path = path.child("maxUnavailable"), path.child("maxSurge")
    errors = validate_count_or_percentage(unavailable, unavailable_path)
    errors += validate_count_or_percentage(surge, surge_path)
    errors += validate_at_most_100_percent(unavailable, unavailable_path) + validate_at_most_100_percent(
        surge, surge_path
    )
    if plain_number(unavailable) and plain_number(surge):
        errors.append(invalid(surge_path, surge, "may not be set when maxUnavailable is non-zero"))
    elif not plain_number(unavailable) and not plain_number(surge):
        errors.append(required(unavailable_path, "cannot be 0 when maxSurge is 0"))
    return errors
