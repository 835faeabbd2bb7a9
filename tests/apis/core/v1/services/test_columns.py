from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apis.core.v1.services.columns import PRINTER
from memkube.apis.core.v1.services.types import Service


def cells(status: dict[str, Any] | None = None, **spec: Any) -> list[Any]:
    metadata = {"name": "web", "creationTimestamp": "2026-01-01T00:00:00Z"}
    document = Service.from_document({"metadata": metadata, "spec": spec, "status": status or {}}).to_document()
    return PRINTER.row(document).at(datetime(2026, 1, 1, tzinfo=UTC))


def test_of_a_bare_service_little_is_known() -> None:
    assert cells() == ["web", "", "<none>", "<unknown>", "<none>", "0s", "<none>"]


def test_ports_are_shown_with_those_on_the_nodes() -> None:
    ports = [{"port": 80, "protocol": "TCP", "nodePort": 30080}, {"port": 53, "protocol": "UDP"}]
    assert cells(ports=ports)[4] == "80:30080/TCP,53/UDP"


def test_the_selector_is_sorted() -> None:
    assert cells(selector={"b": "2", "a": "1"})[6] == "a=1,b=2"


@pytest.mark.parametrize(
    ("spec", "ingress", "shown"),
    [
        ({"type": "ExternalName", "externalName": "a.example.com"}, [], "a.example.com"),
        ({"type": "NodePort", "externalIPs": ["192.0.2.1", "192.0.2.2"]}, [], "192.0.2.1,192.0.2.2"),
        ({"type": "LoadBalancer"}, [], "<pending>"),
        (
            {"type": "LoadBalancer"},
            [{"ip": "192.0.2.9"}, {"hostname": "lb"}, {"ip": "192.0.2.1"}],
            "192.0.2.1,192.0.2.9,lb",
        ),
        ({"type": "LoadBalancer", "externalIPs": ["192.0.2.1"]}, [{"ip": "192.0.2.9"}], "192.0.2.9,192.0.2.1"),
    ],
)
def test_addresses_outside_depend_on_the_type(spec: dict[str, Any], ingress: list[Any], shown: str) -> None:
    assert cells({"loadBalancer": {"ingress": ingress}}, **spec)[3] == shown
