import socket

import httpx
import pytest

from memkube.http.options import ConnectionLimits
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.endpoints.answers import status_of


def _unfinished(server: Server, query: str) -> bytes:
    """Announce a body without sending it, and return the response."""
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        head = f"POST /api/v1/namespaces?{query} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
        connection.sendall(head.encode())
        return connection.recv(65536)


def test_a_request_does_not_take_longer_than_its_client_waits(server: Server) -> None:
    answer = _unfinished(server, "timeout=50ms")
    assert answer.startswith(b"HTTP/1.1 504 Gateway Timeout\r\n")
    assert b'"message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout"' in answer


def test_the_status_of_a_request_that_is_too_late_is_declared_as_text(client: httpx.Client) -> None:
    answer = client.post("/api/v1/namespaces?timeout=1ns", json={"metadata": {"name": "late"}})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.json() == {
        "metadata": {},
        "status": "Failure",
        "message": "Timeout: request did not complete within the allotted timeout",
        "reason": "Timeout",
        "details": {},
        "code": 504,
    }


def test_no_request_takes_longer_than_the_server_allows() -> None:
    limits = ConnectionLimits(request_seconds=0.05)
    with Server(Settings(controllers=(), connections=limits)).in_thread() as server:
        for query in ("", "timeout=1h", "timeout=0"):
            assert _unfinished(server, query).startswith(b"HTTP/1.1 504 ")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_what_is_too_late_already_is_not_begun(client: httpx.Client, namespace: str, method: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(path, json={"metadata": {"name": "a"}}).raise_for_status()
    answer = client.request(method, f"{path}?timeout=1ns", json={"metadata": {"name": "b"}})
    assert (answer.status_code, answer.json()["reason"]) == (504, "Timeout")
    assert [item["metadata"]["name"] for item in client.get(path).json()["items"]] == ["a"]


@pytest.mark.parametrize("timeout", ["10s", "0s", "-1s", ""])
def test_what_is_in_time_is_answered(client: httpx.Client, timeout: str) -> None:
    assert client.get(f"/api/v1/namespaces?timeout={timeout}").status_code == 200


@pytest.mark.parametrize("path", ["/api/v1/namespaces", "/api", "/version", "/healthz", "/openapi/v3", "/nowhere"])
def test_a_malformed_timeout_is_refused_before_anything_else(client: httpx.Client, path: str) -> None:
    answer = client.put(f"{path}?timeout=soon")
    message = 'invalid timeout specified in the request URL - time: invalid duration "soon"'
    assert (answer.status_code, status_of(answer)["message"]) == (400, message)
    assert "x-kubernetes-pf-flowschema-uid" not in answer.headers


def test_the_timeout_of_a_watch_is_not_read(client: httpx.Client) -> None:
    with client.stream("GET", "/api/v1/namespaces?watch=1&timeout=soon") as answer:
        assert answer.status_code == 200
