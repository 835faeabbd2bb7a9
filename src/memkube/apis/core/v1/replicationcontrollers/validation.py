"""Validation of the spec and status of ReplicationControllers, and of their annotations for non-convertible fields.

Source: ``pkg/apis/core/validation``.
"""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.names import long_name
from memkube.apimachinery.shown_values import given
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec
from memkube.apis.core.v1.replicationcontrollers.types import ReplicationController
from memkube.apis.core.v1.workloads import validate_restarts_always, validate_status_counts

_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_NON_CONVERTIBLE: Final = "non-convertible.kubernetes.io"
_COUNTS: Final = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration")
_PARTS: Final = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def validate_replication_controller(controller: ReplicationController) -> list[FieldError]:
    """Validate a new ReplicationController: its metadata, replica count, selector and pod template."""
    return validate_metadata(controller.metadata, long_name, namespaced=True) + _spec_errors(controller)


def validate_replication_controller_update(new: ReplicationController, old: ReplicationController) -> list[FieldError]:
    """Validate an update of a ReplicationController by the rules for new ones.

    If an annotation marks the selector as not convertible to other API versions, the selector is immutable.
    """
    errors = validate_metadata_update(new.metadata, old.metadata) + _spec_errors(new)
    return errors + _unconverted_errors(new, old)


def validate_replication_controller_status_update(
    new: ReplicationController, old: ReplicationController
) -> list[FieldError]:
    """Validate an update of a ReplicationController's status.

    No count is negative, and no part of the replicas (such as readyReplicas) exceeds `replicas`.
    """
    return validate_metadata_update(new.metadata, old.metadata) + validate_status_counts(
        new.status, _COUNTS, _PARTS, _STATUS
    )


def _unconverted_errors(new: ReplicationController, old: ReplicationController) -> list[FieldError]:
    """Return errors for an update of fields that annotations mark as not convertible to other API versions.

    Such an annotation has the name of the field in its key. If it names the selector, the selector must not change. If
    it names any other field, this is an error, because Kubernetes knows no other such field.
    """
    errors: list[FieldError] = []
    for key, value in sorted(old.metadata.annotations.items()):
        prefix, _, name = key.partition("/")
        if not prefix.startswith(_NON_CONVERTIBLE) or not name:
            continue
        if "selector" not in name:
            errors.append(FieldError("FieldValueNotFound", name, value, "unknown non-convertible field"))
        elif new.spec.selector != old.spec.selector:
            path = _SPEC.child("selector")
            errors.append(invalid(path, new.spec.selector, "cannot update non-convertible selector"))
    return errors


def _spec_errors(controller: ReplicationController) -> list[FieldError]:
    spec = controller.spec
    errors = validate_nonnegative(spec.minReadySeconds, _SPEC.child("minReadySeconds"))
    if not spec.selector:
        errors.append(required(_SPEC.child("selector")))
    if spec.replicas is None:
        errors.append(required(_SPEC.child("replicas")))
    else:
        errors += validate_nonnegative(spec.replicas, _SPEC.child("replicas"))
    path = _SPEC.child("template")
    if spec.template is None:
        return [*errors, required(path)]
    return errors + _template_errors(spec.template, spec.selector, path)


def _template_errors(template: PodTemplateSpec, selector: dict[str, str], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    labels = template.metadata.labels
    if not selector.items() <= labels.items():
        why = "`selector` does not match template `labels`"
        errors.append(invalid(path.child("metadata").child("labels"), given(template.metadata, "labels"), why))
    errors += validate_pod_template_spec(template, path)
    return errors + validate_restarts_always(template, path, "ReplicationController")
