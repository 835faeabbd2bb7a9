"""Defaults and validation of Deployments: selector, pod template, strategy and status counts (``pkg/apis/apps``)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, not_supported, required
from memkube.apimachinery.meta.validation.object_meta import validate_immutable, validate_nonnegative
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.apps.v1.deployments.types import (
    Deployment,
    DeploymentStrategy,
    RollingUpdateDeployment,
)
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.defaults import default_pod_template
from memkube.apis.core.v1.workloads import (
    plain_number,
    validate_at_most_100_percent,
    validate_count_or_percentage,
    validate_counts,
    validate_not_decremented,
    validate_replicated_template,
    validate_selector,
    validate_status_counts,
)

ROLLBACK_TO: Final = "deprecated.deployment.rollback.to"
"""Annotation that requests a rollback of the Deployment to a revision: ``spec.rollbackTo`` of the internal version."""
ROLLING_SHARE: Final = "25%"
REVISIONS_KEPT: Final = 10
PROGRESS_SECONDS: Final = 600

_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_TYPES: Final = ("Recreate", "RollingUpdate")
_COUNTS: Final = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)
_PARTS: Final = ("updatedReplicas", "readyReplicas", "availableReplicas")


def default_deployment(deployment: Deployment) -> None:
    """Set the defaults of a Deployment in place: replicas, update strategy, deadlines, history and pod template."""
    spec = deployment.spec
    default_pod_template(spec.template)
    if spec.replicas is None:
        spec.replicas = 1
    _default_strategy(spec.strategy)
    if spec.revisionHistoryLimit is None:
        spec.revisionHistoryLimit = REVISIONS_KEPT
    if spec.progressDeadlineSeconds is None:
        spec.progressDeadlineSeconds = PROGRESS_SECONDS


def _default_strategy(strategy: DeploymentStrategy) -> None:
    strategy.type = strategy.type or "RollingUpdate"
    if strategy.type != "RollingUpdate":
        return
    rolling = strategy.rollingUpdate = strategy.rollingUpdate or RollingUpdateDeployment()
    if rolling.maxUnavailable is None:
        rolling.maxUnavailable = ROLLING_SHARE
    if rolling.maxSurge is None:
        rolling.maxSurge = ROLLING_SHARE


def validate_deployment(deployment: Deployment) -> list[FieldError]:
    """Validate a new Deployment: its metadata, replica count, selector, pod template and update strategy."""
    return validate_metadata(deployment.metadata, subdomain_name, namespaced=True) + _spec_errors(deployment)


def validate_deployment_update(new: Deployment, old: Deployment) -> list[FieldError]:
    """Validate an update of a Deployment: the selector is immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata) + _spec_errors(new)
    return errors + validate_immutable(new.spec.selector, old.spec.selector, _SPEC.child("selector"))


def validate_deployment_status_update(new: Deployment, old: Deployment) -> list[FieldError]:
    """Validate an update of a Deployment's status.

    No count is negative, no part of the replicas (such as readyReplicas) exceeds `replicas`, and `collisionCount` does
    not decrease.
    """
    errors = validate_metadata_update(new.metadata, old.metadata) + validate_status_counts(
        new.status, _COUNTS, _PARTS, _STATUS
    )
    path = _STATUS.child("collisionCount")
    return errors + validate_not_decremented(new.status.collisionCount, old.status.collisionCount, path)


def _spec_errors(deployment: Deployment) -> list[FieldError]:
    spec = deployment.spec
    errors = validate_counts(spec, ("replicas",), _SPEC)
    errors += validate_selector(spec.selector, _SPEC.child("selector"), "deployment")
    errors += validate_replicated_template(spec.template, spec.selector, _SPEC)
    errors += _strategy_errors(spec.strategy, _SPEC.child("strategy"))
    errors += validate_counts(spec, ("minReadySeconds", "revisionHistoryLimit"), _SPEC)
    errors += _rollback_errors(deployment)
    errors += validate_counts(spec, ("progressDeadlineSeconds",), _SPEC)
    deadline = spec.progressDeadlineSeconds
    if deadline is not None and deadline <= spec.minReadySeconds:
        path = _SPEC.child("progressDeadlineSeconds")
        errors.append(invalid(path, deadline, "must be greater than minReadySeconds"))
    return errors


def _rollback_errors(deployment: Deployment) -> list[FieldError]:
    revision = deployment.metadata.annotations.get(ROLLBACK_TO, "")
    path = _SPEC.child("rollback").child("version")
    return validate_nonnegative(int(revision), path) if revision.startswith("-") else []


def _strategy_errors(strategy: DeploymentStrategy, path: FieldPath) -> list[FieldError]:
    rolling, rolling_path = strategy.rollingUpdate, path.child("rollingUpdate")
    if strategy.type == "Recreate":
        why = "may not be specified when strategy `type` is 'Recreate'"
        return [forbidden(rolling_path, why)] if rolling is not None else []
    if strategy.type != "RollingUpdate":
        return [not_supported(path, InternalValue(_internal_strategy(strategy)), _TYPES)]
    if rolling is None:
        return [required(rolling_path, "this should be defaulted and never be nil")]
    return _rolling_errors(rolling, rolling_path)


def _internal_strategy(strategy: DeploymentStrategy) -> DeploymentStrategy:
    """Return a Deployment's strategy in kube-apiserver's internal version, which sets all fields of rollingUpdate."""
    rolling = strategy.rollingUpdate
    if rolling is None:
        return strategy
    steps = RollingUpdateDeployment(maxUnavailable=_step(rolling.maxUnavailable), maxSurge=_step(rolling.maxSurge))
    return DeploymentStrategy(type=strategy.type, rollingUpdate=steps)


def _step(value: int | str | None) -> int | str:
    return 0 if value is None else value


def _rolling_errors(rolling: RollingUpdateDeployment, path: FieldPath) -> list[FieldError]:
    unavailable, surge = _step(rolling.maxUnavailable), _step(rolling.maxSurge)
    errors = validate_count_or_percentage(unavailable, path.child("maxUnavailable"))
    errors += validate_count_or_percentage(surge, path.child("maxSurge"))
    if plain_number(unavailable) == 0 and plain_number(surge) == 0:
        why = "may not be 0 when `maxSurge` is 0"
        errors.append(invalid(path.child("maxUnavailable"), unavailable, why))
    return errors + validate_at_most_100_percent(unavailable, path.child("maxUnavailable"))
