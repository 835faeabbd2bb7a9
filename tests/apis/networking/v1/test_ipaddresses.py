from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from memkube.apis.networking.v1.ipaddresses.columns import PRINTER
from memkube.apis.networking.v1.ipaddresses.strategy import validate_ip_address, validate_ip_address_update
from memkube.apis.networking.v1.ipaddresses.types import IPAddress

PARENT = {"resource": "services", "namespace": "default", "name": "web"}
ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses"


def address(name: str = "192.0.2.1", **parent: str) -> IPAddress:
    metadata = {"name": name, "resourceVersion": "1"}
    return IPAddress.from_document({"metadata": metadata, "spec": {"parentRef": {**PARENT, **parent}}})


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("web", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        ("192.0.2.01", "must not have leading 0s"),
        ("::ffff:192.0.2.1", "must not be an IPv4-mapped IPv6 address"),
        ("2001:DB8::1", 'must be in canonical form ("2001:db8::1")'),
    ],
)
def test_the_name_is_an_address_in_canonical_form(name: str, detail: str) -> None:
    assert [(error.field, error.detail) for error in validate_ip_address(address(name))] == [("metadata.name", detail)]


def test_an_address_of_either_family_will_do() -> None:
    assert validate_ip_address(address()) == validate_ip_address(address("2001:db8::1")) == []


def test_the_parent_reference_is_immutable() -> None:
    (error,) = validate_ip_address_update(address(name="192.0.2.1", namespace="other"), address())
    parent = '{"Group":"","Resource":"services","Namespace":"other","Name":"web"}'
    assert str(error) == f"spec.parentRef: Invalid value: {parent}: field is immutable"


@pytest.mark.parametrize(
    ("parent", "cell"),
    [
        ({}, "services/default/web"),
        ({"group": "Example.com", "resource": "Gateways", "namespace": ""}, "gateways.example.com/web"),
    ],
)
def test_the_parent_is_shown_in_lower_case(parent: dict[str, Any], cell: str) -> None:
    assert PRINTER.row(address(**parent).to_document()).at(datetime(2026, 1, 1, tzinfo=UTC))[1] == cell


def test_a_generated_name_is_the_one_that_was_asked_for(client: httpx.Client) -> None:
    body = {"metadata": {"generateName": "192.0.2.77"}, "spec": {"parentRef": PARENT}}
    assert client.post(ADDRESSES, json=body).json()["metadata"]["name"] == "192.0.2.77"
    again = client.post(ADDRESSES, json=body)
    client.delete(f"{ADDRESSES}/192.0.2.77").raise_for_status()
    assert (again.status_code, again.json()["reason"]) == (409, "AlreadyExists")
