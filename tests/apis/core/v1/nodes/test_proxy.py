import uuid
from typing import Any

import httpx
import pytest


def node(client: httpx.Client, **status: Any) -> str:
    """Create a node, and return its name."""
    name = f"node-{uuid.uuid4().hex[:6]}"
    client.post("/api/v1/nodes", json={"metadata": {"name": name}, "status": status}).raise_for_status()
    return name


@pytest.mark.parametrize(
    ("kind", "address", "port", "code", "why"),
    [
        ("InternalIP", "10.1.2.3", "", 503, "dial tcp 10.1.2.3:10250: connect: connection refused"),
        ("ExternalIP", "2001:db8::1", ":80", 503, "dial tcp [2001:db8::1]:80: connect: connection refused"),
        ("InternalIP", "127.0.0.1", "", 400, "address not allowed"),
        ("Hostname", "a.invalid", "", 400, "lookup a.invalid: no such host"),
        ("Odd", "10.1.2.3", "", 500, "no preferred addresses found; known addresses: [{Odd 10.1.2.3}]"),
    ],
)
def test_nobody_answers_at_the_address_of_a_node(
    client: httpx.Client, kind: str, address: str, port: str, code: int, why: str
) -> None:
    name = node(client, addresses=[{"type": kind, "address": address}])
    answer = client.get(f"/api/v1/nodes/{name}{port}/proxy/metrics")
    assert (answer.status_code, answer.json()["message"].removeprefix("error trying to reach service: ")) == (code, why)


def test_the_port_that_the_kubelet_reports_is_asked(client: httpx.Client) -> None:
    addresses = [{"type": "InternalIP", "address": "10.1.2.3"}]
    name = node(client, addresses=addresses, daemonEndpoints={"kubeletEndpoint": {"Port": 7}})
    assert ":7: connect" in client.get(f"/api/v1/nodes/{name}/proxy").json()["message"]


def test_a_node_has_one_name(client: httpx.Client) -> None:
    answer = client.get("/api/v1/nodes/ftp:a:1/proxy/")
    assert (answer.status_code, answer.json()["message"]) == (400, 'invalid node request "ftp:a:1"')
