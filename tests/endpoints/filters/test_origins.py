import json
import socket
from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from memkube.endpoints.filters.origins import OriginOptions, Origins
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.settings import Settings

NAMESPACE = "/api/v1/namespaces/default"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    origins = OriginOptions(("api.example.com", "*.example.org"), (r"^https://ui\.example\.com$",))
    with Server(Settings(controllers=(), origins=origins)).in_thread() as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False) as talking:
        yield talking


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost:1",
        "LOCALHOST.",
        "memkube.localhost",
        "[::1]:8080",
        "192.0.2.1",
        "memkube",
        "host.docker.internal:8080",
        "kubernetes.default",
        "memkube.tests.svc:6443",
        "API.example.com:443",
        "any.example.org",
        "",
    ],
)
def test_requests_with_a_host_of_the_server_are_served(client: httpx.Client, host: str) -> None:
    assert client.get(NAMESPACE, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", [NAMESPACE, "/memkube/v1/clock", "/version", "/docs", "/absent"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example.net",
        "localhost.example.net",
        "127.0.0.1.example.net",
        "example.org",
        "notexample.org",
        "svc.example.net",
        "evil.example.net:127.0.0.1",
        "localhost@evil.example.net",
        "[evil.example.net]",
        "a.b\u00e9",
    ],
)
def test_requests_with_another_host_are_refused(client: httpx.Client, host: str, path: str) -> None:
    answer = client.get(path, headers=[(b"Host", host.encode())])
    status = answer.json()
    assert (answer.status_code, status["kind"], status["reason"]) == (403, "Status", "Forbidden")
    assert "--allowed-host" in status["message"]


def test_a_second_host_header_does_not_help(server: Server) -> None:
    with socket.create_connection((server.host, server.port), 60) as connection:
        hosts = b"Host: localhost\r\nHost: evil.example.net\r\n"
        connection.sendall(b"GET /version HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 403 ")


def test_a_page_of_the_server_may_write(client: httpx.Client, server: Server) -> None:
    origin = {"Origin": server.url}
    answer = client.post("/api/v1/namespaces", json={"metadata": {"name": "written"}}, headers=origin)
    assert answer.status_code == 201
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", ["https://evil.example.net", "http://localhost:1", "null", "http://127.0.0.1", ""])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_a_page_of_another_origin_is_refused(client: httpx.Client, origin: str, method: str) -> None:
    body = json.dumps({"metadata": {"name": "foreign"}}).encode() if method == "POST" else None
    answer = client.request(method, "/api/v1/namespaces", content=body, headers={"Origin": origin})
    assert (answer.status_code, answer.json()["reason"]) == (403, "Forbidden")
    assert client.get("/api/v1/namespaces/foreign").status_code == 404


def test_a_page_of_another_origin_opens_no_websocket(server: Server) -> None:
    url = f"ws{server.url.removeprefix('http')}{NAMESPACE}/configmaps?watch=1"
    with connect(url, origin=Origin(server.url), proxy=None, open_timeout=60):
        pass
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(url, origin=Origin("https://evil.example.net"), proxy=None, open_timeout=60),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_a_page_of_an_allowed_origin_may_read(client: httpx.Client) -> None:
    answer = client.get(NAMESPACE, headers={"Origin": "https://ui.example.com"})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://ui.example.com"
    assert answer.headers["access-control-allow-credentials"] == "true"
    assert answer.headers["access-control-expose-headers"] == "Date"


def test_a_browser_may_ask_for_an_allowed_origin(client: httpx.Client) -> None:
    headers = {"Origin": "https://ui.example.com", "Access-Control-Request-Method": "PATCH"}
    answer = client.options(NAMESPACE, headers=headers)
    assert (answer.status_code, answer.content) == (204, b"")
    assert "PATCH" in answer.headers["access-control-allow-methods"]


def test_all_hosts_can_be_allowed() -> None:
    with (
        Server(Settings(controllers=(), origins=OriginOptions(("*",)))).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        assert client.get("/version", headers={"Host": "any.example.net"}).status_code == 200


@pytest.mark.parametrize("pattern", ["example.com", "^https://example", "example.com$", "^($", ""])
def test_patterns_that_may_match_a_part_of_a_name_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="--cors-allowed-origins"):
        OriginOptions(cors_allowed_origins=(pattern,))


def test_refusals_are_in_the_request_log(client: httpx.Client) -> None:
    client.get("/api/v1/nodes", headers={"Host": "logged.example.net"})
    items = client.get("/memkube/v1/requests").json()["items"]
    assert any(one["path"] == "/api/v1/nodes" and one["code"] == 403 for one in items)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_server_for_other_machines_needs_tls_and_authentication(host: str) -> None:
    with pytest.raises(ServerError, match="every machine that can reach"):
        Server(Settings(controllers=()), host=host)


def test_so_many_hosts_are_remembered() -> None:
    origins = Origins(OriginOptions())
    for number in range(1_500):
        origins.check([(b"host", b"localhost:%d" % number)])
    assert len(origins.known) == 1_000
