import gc
import socket
from email.utils import parsedate_to_datetime

import pytest

from memkube import Memkube
from memkube.server.server import Server


def _talk(server: Server, *requests: bytes) -> bytes:
    """Send requests at once, the last of which closes the connection. Return everything that the server sends."""
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        connection.sendall(b"".join(requests))
        return b"".join(iter(lambda: connection.recv(65536), b""))


def _request(line: str, *headers: str, body: bytes = b"") -> bytes:
    return "\r\n".join([f"{line} HTTP/1.1", "Host: x", *headers, "", ""]).encode() + body


_LAST = "Connection: close"


def test_head_and_body_come_in_one_piece(server: Server) -> None:
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        connection.sendall(_request("GET /api/v1/namespaces/default"))
        assert connection.recv(65536).endswith(b'{"phase":"Active"}}\n')


def test_answers_come_in_the_order_of_their_requests(server: Server) -> None:
    answers = _talk(server, _request("GET /livez"), _request("GET /nothing"), _request("GET /livez/ping", _LAST))
    first, second, third = answers.split(b"HTTP/1.1 ")[1:]
    assert (first[:3], second[:3], third[:3]) == (b"200", b"404", b"200")


def test_a_client_that_waits_to_send_its_body_is_told_to_go_on(server: Server) -> None:
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        head = _request("POST /api/v1/namespaces", "Expect: 100-continue", "Content-Length: 2", _LAST)
        connection.sendall(head)
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        assert connection.recv(65536).startswith(b"HTTP/1.1 422 ")


def test_a_body_may_come_in_chunks(server: Server) -> None:
    body = b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
    head = _request("POST /api/v1/namespaces", "Transfer-Encoding: chunked", _LAST)
    assert _talk(server, head, body).startswith(b"HTTP/1.1 422 ")


def test_an_answer_without_a_length_is_chunked(server: Server) -> None:
    path = "/api/v1/configmaps?watch=1&resourceVersion=1&timeoutSeconds=1"
    head, body = _talk(server, _request(f"GET {path}", _LAST)).split(b"\r\n\r\n", 1)
    assert b"transfer-encoding: chunked" in head
    assert body.endswith(b"0\r\n\r\n")


def test_http_1_0_has_no_chunks(server: Server) -> None:
    answer = _talk(server, b"GET /api/v1/configmaps?watch=1&resourceVersion=1&timeoutSeconds=1 HTTP/1.0\r\n\r\n")
    head, body = answer.split(b"\r\n\r\n", 1)
    assert b"transfer-encoding" not in head
    assert b"connection: close" in head
    assert body.endswith(b"}\n") or body == b""


def test_the_answer_to_head_has_no_body(server: Server) -> None:
    head, body = _talk(server, _request("HEAD /livez", _LAST)).split(b"\r\n\r\n", 1)
    assert b"content-length: 2" in head
    assert body == b""


def test_every_answer_has_a_date(server: Server) -> None:
    head = _talk(server, _request("GET /livez", _LAST)).split(b"\r\n\r\n")[0].decode()
    (date,) = [line.removeprefix("date: ") for line in head.split("\r\n") if line.startswith("date: ")]
    assert parsedate_to_datetime(date).tzname() == "UTC"


@pytest.mark.parametrize("size", [1_000, 1_000_000])
def test_a_body_of_any_size_arrives_whole(server: Server, size: int) -> None:
    text = b'{"metadata":{"generateName":"big-"},"data":{"a":"%s"}}' % (b"x" * size)
    path = "/api/v1/namespaces/default/configmaps"
    head, body = _talk(server, _request(f"POST {path}", f"Content-Length: {len(text)}", _LAST, body=text)).split(
        b"\r\n\r\n", 1
    )
    assert head.startswith(b"HTTP/1.1 201 ")
    assert f"content-length: {len(body)}".encode() in head
    assert body.count(b"x") >= size


def test_a_request_whose_client_has_left_ends_quietly_with_the_server(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, Memkube(controllers="none") as kube:
        kube.apply(_webhook(silent.getsockname()[1]))
        body = b'{"metadata":{"name":"a"}}'
        head = _request("POST /api/v1/namespaces/default/configmaps", f"Content-Length: {len(body)}", body=body)
        with socket.create_connection(("127.0.0.1", int(kube.url.rpartition(":")[2]))) as left:
            left.sendall(head)
            called, _ = silent.accept()
        kube.revision()  # By the end of this call, the server has seen that the client has left.
    called.close()
    gc.collect()
    assert "asyncio" not in {record.name for record in caplog.records}


def _webhook(port: int) -> dict[str, object]:
    """Return a webhook configuration that is called before ConfigMaps are created."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    webhook = {
        "name": "silent.example.com",
        "clientConfig": {"url": f"https://127.0.0.1:{port}"},
        "rules": [rule],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "silent"},
        "webhooks": [webhook],
    }
