"""What leases add to the generic verbs."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.coordination.v1.leases.types import Lease
from memkube.apis.coordination.v1.leases.validation import validate_lease, validate_lease_update
from memkube.registry.strategy import Strategy


class LeaseStrategy(Strategy[Lease]):
    """Source: ``pkg/registry/coordination/lease/strategy.go``. Coordinated elections are switched off there."""

    allow_create_on_update: ClassVar[bool] = True
    allow_unconditional_update: ClassVar[bool] = False

    def prepare_for_create(self, obj: Lease, now: Time) -> list[str]:
        """See Strategy."""
        _drop_coordination(obj)
        return []

    def validate(self, obj: Lease) -> list[FieldError]:
        """See Strategy."""
        return validate_lease(obj)

    def prepare_for_update(self, new: Lease, old: Lease) -> None:
        """See Strategy."""
        _drop_coordination(new)

    def validate_update(self, new: Lease, old: Lease) -> list[FieldError]:
        """See Strategy."""
        return validate_lease_update(new, old)


def _drop_coordination(lease: Lease) -> None:
    lease.spec.strategy = None
    lease.spec.preferredHolder = None
