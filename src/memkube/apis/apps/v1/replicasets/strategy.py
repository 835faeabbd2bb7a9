"""Rules for writing ReplicaSets: defaults, and validation of selector, template and status (``pkg/apis/apps``)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apis.apps.v1.replicasets.types import ReplicaSet, ReplicaSetSpec
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.defaults import default_pod_template
from memkube.apis.core.v1.workloads import (
    WorkloadStrategy,
    validate_counts,
    validate_replicated_template,
    validate_selector,
    validate_status_counts,
)
from memkube.registry.declarations.strategy import StatusStrategy

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


def default_replica_set(replica_set: ReplicaSet) -> None:
    """Set the defaults of a ReplicaSet in place: one replica, and the defaults of the pod template."""
    spec = replica_set.spec
    default_pod_template(spec.template)
    if spec.replicas is None:
        spec.replicas = 1


def validate_replica_set(replica_set: ReplicaSet) -> list[FieldError]:
    """Validate a new ReplicaSet: its metadata, replica count, selector and pod template."""
    return validate_metadata(replica_set.metadata, subdomain_name, namespaced=True) + _spec_errors(replica_set.spec)


def validate_replica_set_update(new: ReplicaSet, old: ReplicaSet) -> list[FieldError]:
    """Validate an update of a ReplicaSet: the selector is immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata) + _spec_errors(new.spec)
    return errors + validate_immutable(new.spec.selector, old.spec.selector, _SPEC.child("selector"))


def validate_replica_set_status_update(new: ReplicaSet, old: ReplicaSet) -> list[FieldError]:
    """Validate an update of a ReplicaSet's status.

    No count is negative, and no part of the replicas (such as readyReplicas) exceeds `replicas`.
    """
    return validate_metadata_update(new.metadata, old.metadata) + validate_status_counts(
        new.status, _COUNTS, _PARTS, _STATUS
    )


def _spec_errors(spec: ReplicaSetSpec) -> list[FieldError]:
    errors = validate_counts(spec, ("replicas", "minReadySeconds"), _SPEC)
    # As in kube-apiserver, the message says "deployment" although the object is a ReplicaSet.
    errors += validate_selector(spec.selector, _SPEC.child("selector"), "deployment")
    return errors + validate_replicated_template(spec.template, spec.selector, _SPEC)


class ReplicaSetStrategy(WorkloadStrategy[ReplicaSet]):
    """Defaults and validation of ReplicaSets; a change of the spec increments the generation.

    Source: ``pkg/registry/apps/replicaset/strategy.go``.
    """

    default = staticmethod(default_replica_set)
    validate = staticmethod(validate_replica_set)
    validate_update = staticmethod(validate_replica_set_update)


class ReplicaSetStatusStrategy(StatusStrategy[ReplicaSet], ReplicaSetStrategy):
    """Strategy for writing the ``status`` subresource of ReplicaSets, which cannot change the spec."""

    validate_update = staticmethod(validate_replica_set_status_update)
