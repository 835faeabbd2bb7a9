from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apimachinery.time import Time
from memkube.apis.discovery.v1.endpointslices.columns import PRINTER
from memkube.apis.discovery.v1.endpointslices.strategy import EndpointSliceStrategy
from memkube.apis.discovery.v1.endpointslices.types import EndpointSlice
from memkube.apis.discovery.v1.endpointslices.validation import (
    validate_endpoint_slice,
    validate_endpoint_slice_update,
)


def endpoint_slice(address_type: str, *addresses: str, **fields: Any) -> EndpointSlice:
    metadata = {"name": "web-1", "namespace": "default", "resourceVersion": "1", **fields.pop("metadata", {})}
    endpoint = {"addresses": list(addresses), **fields.pop("endpoint", {})}
    document = {"metadata": metadata, "addressType": address_type, "endpoints": [endpoint], **fields}
    made = EndpointSlice.from_document(document)
    EndpointSliceStrategy().default(made)
    return made


@pytest.mark.parametrize(
    ("address_type", "text", "error"),
    [
        ("IPv4", "2001:db8::1", 'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address'),
        ("IPv6", "192.0.2.1", 'endpoints[0].addresses: Invalid value: "192.0.2.1": must be an IPv6 address'),
        (
            "IPv6",
            "2001:DB8::1",
            'endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
        ),
        ("FQDN", "", "endpoints[0].addresses[0]: Required value"),
        (
            "FQDN",
            "host",
            (
                'endpoints[0].addresses[0]: Invalid value: "host": should be a domain with at least '
                "two segments separated by dots"
            ),
        ),
        ("Mixed", "x", 'addressType: Unsupported value: "Mixed": supported values: "FQDN", "IPv4", "IPv6"'),
    ],
)
def test_addresses_are_of_the_type_of_the_slice(address_type: str, text: str, error: str) -> None:
    assert [str(found) for found in validate_endpoint_slice(endpoint_slice(address_type, text))] == [error]


def test_a_domain_name_may_end_with_a_dot() -> None:
    assert validate_endpoint_slice(endpoint_slice("FQDN", "a.example.com.")) == []


def test_a_label_of_a_domain_name_has_sixty_three_letters_at_most() -> None:
    label = "x" * 64
    (error,) = validate_endpoint_slice(endpoint_slice("FQDN", f"{label}.example.com"))
    assert (error.value, error.detail) == (label, "must be no more than 63 characters")


def test_too_many_nodes_are_told_behind_what_is_wrong_with_zones() -> None:
    hints = {"forZones": [{"name": "a b"}], "forNodes": [{"name": f"n{i}"} for i in range(9)]}
    made = endpoint_slice("IPv4", "192.0.2.1", endpoint={"hints": hints})
    fields = [error.field for error in validate_endpoint_slice(made)]
    assert fields == ["endpoints[0].hints.forZones[0].name", "endpoints[0].hints.forNodes"]


def test_there_are_a_thousand_endpoints_at_most() -> None:
    made = endpoint_slice("IPv4", "192.0.2.1")
    made.endpoints = made.endpoints * 1001
    assert [str(error) for error in validate_endpoint_slice(made)] == [
        "endpoints: Too many: 1001: must have at most 1000 items"
    ]


def test_endpoints_that_were_wrong_before_may_stay_and_the_type_has_to() -> None:
    wrong = endpoint_slice("IPv4", "127.0.0.1")
    assert validate_endpoint_slice_update(wrong, wrong) == []
    changed = EndpointSlice.from_document({**wrong.to_document(), "addressType": "FQDN"})
    assert [error.field for error in validate_endpoint_slice_update(changed, wrong)] == ["addressType"]


@pytest.mark.parametrize(
    ("change", "generation"),
    [
        ({"metadata": {"labels": {"a": "b"}}}, 5),
        ({"metadata": {"annotations": {"a": "b"}}}, 4),
        ({"ports": [{"port": 80}]}, 5),
        ({"endpoint": {"zone": "z"}}, 5),
    ],
)
def test_all_but_metadata_and_labels_too_make_a_new_generation(change: dict[str, Any], generation: int) -> None:
    old = endpoint_slice("IPv4", "192.0.2.1", metadata={"generation": 4})
    new = endpoint_slice("IPv4", "192.0.2.1", **change)
    new.metadata.generation = 4
    EndpointSliceStrategy().prepare_for_update(new, old)
    assert new.metadata.generation == generation


def test_topology_cannot_be_written() -> None:
    made = endpoint_slice("IPv4", "192.0.2.1", endpoint={"deprecatedTopology": {"a": "b"}})
    EndpointSliceStrategy().prepare_for_create(made, Time("2026-01-01T00:00:00Z"))
    assert made.endpoints[0].deprecatedTopology == {}


def test_addresses_in_an_unusual_form_earn_a_warning_unless_a_controller_wrote_them() -> None:
    odd = endpoint_slice("IPv6", "2001:DB8::1")
    (warning,) = EndpointSliceStrategy().warnings_on_update(odd, odd)
    assert warning.startswith("endpoints[0].addresses[0]: IPv6 address")
    odd.metadata.labels = {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}
    assert EndpointSliceStrategy().warnings_on_update(odd, odd) == []


def test_ports_without_a_number_are_shown_by_their_name() -> None:
    document = endpoint_slice("IPv4", "192.0.2.1", ports=[{"name": "a"}, {"name": "b", "port": 81}]).to_document()
    assert PRINTER.row(document).at(datetime(2026, 1, 1, tzinfo=UTC))[2] == "a,81"
