import httpx
import pytest

from memkube.apis.networking.v1.servicecidrs.strategy import (
    ServiceCIDRStatusStrategy,
    validate_service_cidr,
    validate_service_cidr_update,
)
from memkube.apis.networking.v1.servicecidrs.types import ServiceCIDR


def service_cidr(*blocks: str, **metadata: object) -> ServiceCIDR:
    named = {"name": "range", "resourceVersion": "1", **metadata}
    return ServiceCIDR.from_document({"metadata": named, "spec": {"cidrs": list(blocks)}})


@pytest.mark.parametrize(
    ("blocks", "error"),
    [
        (("10.0.0.0/24", "10.1.0.0/24", "10.2.0.0/24"), 'Invalid value: {"CIDRs":["10.0.0.0/24","10.1.0.0/24",'),
        (("10.0.0.0/24", "10.1.0.0/24"), "may specify no more than one IP for each IP family"),
        (("2001:db8::/64", "2001:db8:1::/64"), "may specify no more than one IP for each IP family"),
        (("10.0.0.1/24",), "must not have bits set beyond the prefix length"),
        (("2001:DB8::/64",), 'must be in canonical form ("2001:db8::/64")'),
        (("10.0.0.0",), "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
    ],
)
def test_there_is_one_block_of_each_family(blocks: tuple[str, ...], error: str) -> None:
    (found,) = validate_service_cidr(service_cidr(*blocks))
    assert error in str(found)


def test_a_second_block_may_come_and_is_looked_at() -> None:
    old = service_cidr("10.0.0.0/24")
    assert validate_service_cidr_update(service_cidr("10.0.0.0/24", "2001:db8::/64"), old) == []
    (error,) = validate_service_cidr_update(service_cidr("10.0.0.0/24", "10.1.0.0/24"), old)
    assert error.field == "spec.cidrs"


def test_a_second_block_does_not_go() -> None:
    (error,) = validate_service_cidr_update(service_cidr("10.0.0.0/24"), service_cidr("10.0.0.0/24", "2001:db8::/64"))
    assert str(error) == 'spec.cidrs: Invalid value: ["10.0.0.0/24"]: field is immutable'


def test_a_write_to_the_status_changes_no_metadata() -> None:
    new, old = service_cidr(labels={"a": "b"}, finalizers=["a/b"]), service_cidr(labels={"a": "c"})
    ServiceCIDRStatusStrategy().prepare_for_update(new, old)
    assert (new.metadata.labels, new.metadata.finalizers) == ({"a": "c"}, [])


def test_the_default_range_is_ready(client: httpx.Client) -> None:
    found = client.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes").json()
    assert [condition["type"] for condition in found["status"]["conditions"]] == ["Ready"]
