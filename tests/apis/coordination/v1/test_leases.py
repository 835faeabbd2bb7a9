from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apimachinery.time import Time
from memkube.apis.coordination.v1.leases.columns import PRINTER
from memkube.apis.coordination.v1.leases.strategy import LeaseStrategy, validate_lease
from memkube.apis.coordination.v1.leases.types import Lease


def lease(**spec: Any) -> Lease:
    return Lease.from_document({"metadata": {"name": "lock", "namespace": "default"}, "spec": spec})


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"leaseDurationSeconds": 0}, "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"),
        ({"leaseTransitions": -1}, "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"),
    ],
)
def test_a_number_that_is_too_small_is_refused(spec: dict[str, int], error: str) -> None:
    assert [str(found) for found in validate_lease(lease(**spec))] == [error]


def test_a_lease_needs_no_holder() -> None:
    assert validate_lease(lease()) == []
    assert lease().to_document()["spec"] == {}


def test_an_empty_holder_is_a_holder() -> None:
    assert lease(holderIdentity="").to_document()["spec"] == {"holderIdentity": ""}


def test_coordinated_elections_are_off() -> None:
    new = lease(strategy="OldestEmulationVersion", preferredHolder="b")
    LeaseStrategy().prepare_for_create(new, Time("2026-01-01T00:00:00Z"))
    assert new == lease()


def test_a_row_tells_the_holder() -> None:
    document = {"metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": {}}
    assert PRINTER.row(document).at(datetime(2026, 1, 1, tzinfo=UTC)) == ["a", "", "0s"]
