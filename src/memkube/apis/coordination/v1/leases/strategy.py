"""Rules for writing Leases: the duration is positive, and the number of transitions is not negative.

Source: ``pkg/apis/coordination/validation``.
"""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.validation.object_meta import (
    validate_nonnegative,
    validate_object_meta,
    validate_object_meta_update,
)
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.time import Time
from memkube.apis.coordination.v1.leases.types import Lease, LeaseSpec
from memkube.registry.declarations.strategy import Strategy

_SPEC: Final = FieldPath("spec")


def validate_lease(lease: Lease) -> list[FieldError]:
    """Validate a Lease: metadata, and that leaseDurationSeconds and leaseTransitions are in range."""
    return validate_object_meta(lease.metadata, subdomain_name, namespaced=True) + _validate_spec(lease.spec)


def validate_lease_update(new: Lease, old: Lease) -> list[FieldError]:
    """Validate an update of a Lease by the rules for new leases. No field is immutable."""
    return validate_object_meta_update(new.metadata, old.metadata) + _validate_spec(new.spec)


def _validate_spec(spec: LeaseSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.leaseDurationSeconds is not None and spec.leaseDurationSeconds <= 0:
        errors.append(invalid(_SPEC.child("leaseDurationSeconds"), spec.leaseDurationSeconds, "must be greater than 0"))
    if spec.leaseTransitions is not None:
        errors += validate_nonnegative(spec.leaseTransitions, _SPEC.child("leaseTransitions"))
    return errors


class LeaseStrategy(Strategy[Lease]):
    """Strategy for creating and updating Leases (``pkg/registry/coordination/lease/strategy.go``).

    It clears the fields of the feature CoordinatedLeaderElection, which is disabled by default.
    """

    allow_create_on_update: ClassVar[bool] = True
    allow_unconditional_update: ClassVar[bool] = False

    validate = staticmethod(validate_lease)
    validate_update = staticmethod(validate_lease_update)

    def prepare_for_create(self, obj: Lease, now: Time) -> list[str]:
        _drop_coordination(obj)
        return []

    def prepare_for_update(self, new: Lease, old: Lease) -> None:
        _drop_coordination(new)


def _drop_coordination(lease: Lease) -> None:
    lease.spec.strategy = None
    lease.spec.preferredHolder = None
