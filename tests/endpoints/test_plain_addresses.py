import socket

import httpx
import pytest

from memkube.server.server import Server

NOT_FOUND = "404 page not found\n"


@pytest.mark.parametrize(
    ("path", "code", "text"),
    [
        ("/healthz/", 404, NOT_FOUND),
        ("/livez/ping/", 404, NOT_FOUND),
        ("/openapi/v2/", 404, NOT_FOUND),
        ("/openapi", 404, NOT_FOUND),
        ("/openapi/v3/", 404, ""),
        ("/openapi/v3/apis/none/v1", 404, ""),
    ],
)
def test_a_slash_at_the_end_is_another_address(client: httpx.Client, path: str, code: int, text: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.text) == (code, text)


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/api/v1"])
def test_an_openapi_document_has_no_text_form(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"accept": "text/plain"})
    assert (answer.status_code, answer.content, "content-type" in answer.headers) == (406, b"", False)


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3", "/openapi/v3/apis/policy/v1", "/", "/index.html"])
def test_documents_answer_every_method(client: httpx.Client, path: str) -> None:
    assert client.post(path).status_code == 200


def test_a_health_check_that_is_none_cannot_be_excluded(client: httpx.Client) -> None:
    text = client.get("/readyz?verbose&exclude=b&exclude=a&exclude=ping").text
    assert "[+]ping excluded: ok\n" in text
    assert 'warn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n' in text


@pytest.mark.parametrize("path", ["/api/v1/watch", "/api/v1/watch/?a=b", "/apis/none/v1/watch", "/api/v1/proxy"])
def test_an_address_that_watches_nothing_is_no_address(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {path}"
    assert (answer.status_code, answer.text) == (500, f'Internal Server Error: "{path}": {why}\n')
    assert "audit-id" in answer.headers
    assert "cache-control" not in answer.headers


def test_the_text_of_an_internal_error_is_unlike_html(client: httpx.Client) -> None:
    assert '"/api/v1/watch?a=b&amp;c=d"' in client.get("/api/v1/watch?a=b&c=d").text


def answer_to(server: Server, target: str) -> bytes:
    """Send a GET with this target in the request line, which HTTP libraries may not send, and return the response."""
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b""))


@pytest.mark.parametrize("target", ["/healthz%zz", "/apis%", "/api/v1/pods/%4"])
def test_a_malformed_escape_in_a_path_is_refused_before_all_filters(server: Server, target: str) -> None:
    answer = answer_to(server, target)
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert answer.endswith(b"\r\n\r\n400 Bad Request")
    assert b"audit-id" not in answer


def test_a_number_sign_is_a_part_of_the_path(server: Server) -> None:
    assert answer_to(server, "/healthz#a").startswith(b"HTTP/1.1 404 Not Found\r\n")


def test_an_unknown_openapi_document_does_not_vary(client: httpx.Client) -> None:
    assert "vary" not in client.get("/openapi/v3/apis/none/v1").headers


def test_a_watch_of_a_proxy_has_a_priority_level(client: httpx.Client) -> None:
    answer = client.get("/api/v1/watch/namespaces/default/configmaps/a/proxy")
    assert "x-kubernetes-pf-flowschema-uid" in answer.headers
