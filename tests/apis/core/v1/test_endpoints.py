from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.core.v1.endpoints.columns import PRINTER
from memkube.apis.core.v1.endpoints.strategy import EndpointsStrategy
from memkube.apis.core.v1.endpoints.types import Endpoints
from memkube.apis.core.v1.endpoints.validation import (
    validate_endpoint_ip,
    validate_endpoints,
    validate_endpoints_update,
)


def endpoints(*subsets: dict[str, Any], **metadata: Any) -> Endpoints:
    named = {"name": "web", "namespace": "default", "resourceVersion": "1", **metadata}
    return Endpoints.from_document({"metadata": named, "subsets": list(subsets)})


def shown(*subsets: dict[str, Any]) -> str:
    cell: str = PRINTER.row(endpoints(*subsets).to_document()).at(datetime(2026, 1, 1, tzinfo=UTC))[1]
    return cell


def addresses(*texts: str) -> list[dict[str, str]]:
    return [{"ip": text} for text in texts]


@pytest.mark.parametrize(
    ("subsets", "cell"),
    [
        ((), "<none>"),
        (({"notReadyAddresses": addresses("192.0.2.1")},), ""),
        (({"addresses": addresses("192.0.2.1", "192.0.2.2")},), "192.0.2.1,192.0.2.2"),
        (({"addresses": addresses("2001:db8::1"), "ports": [{"port": 80}]},), "[2001:db8::1]:80"),
        (
            ({"addresses": addresses("192.0.2.1", "192.0.2.2"), "ports": [{"port": 80}, {"port": 81}]},),
            "192.0.2.1:80,192.0.2.2:80,192.0.2.1:81 + 1 more...",
        ),
    ],
)
def test_three_addresses_are_shown(subsets: tuple[dict[str, Any], ...], cell: str) -> None:
    assert shown(*subsets) == cell


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("::", "may not be unspecified (::)"),
        ("::ffff:127.0.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        ("fe80::1", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        ("ff12::1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
    ],
)
def test_not_every_address_can_be_a_backend(text: str, detail: str) -> None:
    (error,) = validate_endpoint_ip(text, FieldPath("ip"))
    assert error.detail == detail


def test_a_multicast_address_of_the_world_can() -> None:
    assert [error for text in ("224.0.1.1", "ff0e::1") for error in validate_endpoint_ip(text, FieldPath("ip"))] == []


def test_several_ports_need_names() -> None:
    made = endpoints({"addresses": addresses("192.0.2.1"), "ports": [{"port": p, "protocol": "TCP"} for p in (1, 2)]})
    assert [error.field for error in validate_endpoints(made)] == [
        "subsets[0].ports[0].name",
        "subsets[0].ports[1].name",
    ]


def test_subsets_that_were_wrong_before_may_stay() -> None:
    wrong = endpoints({})
    assert validate_endpoints_update(wrong, wrong) == []
    assert len(validate_endpoints_update(wrong, endpoints())) == 1


def test_addresses_in_an_unusual_form_earn_a_warning_unless_the_controller_wrote_them() -> None:
    subset = {"notReadyAddresses": addresses("2001:DB8::1")}
    (warning,) = EndpointsStrategy().warnings_on_create(endpoints(subset))
    assert warning.startswith("subsets[0].notReadyAddresses[0].ip: IPv6 address")
    labels = {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    assert EndpointsStrategy().warnings_on_create(endpoints(subset, labels=labels)) == []


def test_lists_and_watches_warn_of_the_deprecated_kind(client: httpx.Client, namespace: str) -> None:
    url = f"/api/v1/namespaces/{namespace}/endpoints"
    warning = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"'
    assert client.get(url).headers["warning"] == warning
    with client.stream("GET", url, params={"watch": "1"}) as watch:
        assert watch.headers["warning"] == warning
