"""Rules for ReplicaSets (``pkg/apis/apps/validation``)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apis.apps.v1.counts import validate_at_most, validate_counts
from memkube.apis.apps.v1.pod_templates import validate_replicated_template, validate_selector
from memkube.apis.apps.v1.replicasets.types import ReplicaSet, ReplicaSetSpec, ReplicaSetStatus
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update

_METADATA: Final = FieldPath("metadata")
_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_COUNTS: Final = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
)
_PARTS: Final = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def validate_replica_set(replica_set: ReplicaSet) -> list[FieldError]:
    """The rules for a new ReplicaSet."""
    return validate_metadata(replica_set.metadata, True, subdomain_name, _METADATA) + _spec_errors(replica_set.spec)


def validate_replica_set_update(new: ReplicaSet, old: ReplicaSet) -> list[FieldError]:
    """The rules for a changed ReplicaSet: its selector stays."""
    errors = validate_metadata_update(new.metadata, old.metadata, _METADATA) + _spec_errors(new.spec)
    return errors + validate_immutable(new.spec.selector, old.spec.selector, _SPEC.child("selector"))


def validate_replica_set_status_update(new: ReplicaSet, old: ReplicaSet) -> list[FieldError]:
    """The rules for a changed status."""
    return validate_metadata_update(new.metadata, old.metadata, _METADATA) + _status_errors(new.status)


def _spec_errors(spec: ReplicaSetSpec) -> list[FieldError]:
    errors = validate_counts(spec, ("replicas", "minReadySeconds"), _SPEC)
    # The reference says deployment here too.
    errors += validate_selector(spec.selector, _SPEC.child("selector"), "deployment")
    return errors + validate_replicated_template(spec.template, spec.selector, _SPEC)


def _status_errors(status: ReplicaSetStatus) -> list[FieldError]:
    errors = validate_counts(status, _COUNTS, _STATUS)
    errors += validate_at_most(status, _PARTS, status.replicas, _STATUS, "cannot be greater than status.replicas")
    why = "cannot be greater than readyReplicas"
    return errors + validate_at_most(status, ("availableReplicas",), status.readyReplicas, _STATUS, why)
