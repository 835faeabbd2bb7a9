import json
import threading
from collections.abc import Iterator
from typing import Any

import httpcore
import httpx
import pytest
from websockets.sync.client import connect

from memkube.http.options import ConnectionLimits
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.endpoints.aggregation.conftest import delegate
from tests.endpoints.aggregation.echo import Echo
from tests.endpoints.aggregation.extension import GROUP, Extension

_VERSION = f"/apis/{GROUP}/v1"


def _headers(answer: httpx.Response) -> list[tuple[str, str]]:
    told = answer.json()
    assert "headers" in told, f"{answer.status_code}, not from the other server: {answer.text}"
    return [(name.lower(), value) for name, value in told["headers"]]


def _told(echo: httpx.Client, path: str = "things", **sent: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in _headers(echo.get(f"{_VERSION}/{path}", headers=sent)):
        found.setdefault(name, []).append(value)
    return found


def test_the_other_server_is_told_who_asks(echo: httpx.Client) -> None:
    told = _told(echo, **{"Impersonate-User": "jane", "Impersonate-Group": "devs", "Impersonate-Extra-A%2fb": "c"})
    assert told["x-remote-user"] == ["jane"]
    assert told["x-remote-group"] == ["devs", "system:authenticated"]
    assert told["x-remote-extra-a%2fb"] == ["c"]
    assert not any(name.startswith("impersonate") for name in told)


def test_nobody_says_himself_who_he_is(echo: httpx.Client) -> None:
    told = _told(echo, **{"X-Remote-User": "root", "X-Remote-Extra-A": "b", "Authorization": "Bearer x"})
    assert told["x-remote-user"] == ["system:anonymous"]
    assert not {"x-remote-extra-a", "authorization"} & told.keys()


def test_headers_of_the_connection_stay_here(echo: httpx.Client) -> None:
    told = _told(echo, **{"Connection": "keep-alive, X-Mine", "X-Mine": "1", "Keep-Alive": "5", "TE": "trailers, x"})
    assert not {"x-mine", "keep-alive"} & told.keys()
    assert told["te"] == ["trailers"]


def test_the_other_server_is_told_where_the_request_came_from(echo: httpx.Client, extension: Any) -> None:
    told = _told(echo, **{"X-Forwarded-For": "1.2.3.4"})
    assert told["x-forwarded-for"] == ["1.2.3.4, 127.0.0.1"]
    assert told["host"] == told["x-forwarded-host"] == [f"127.0.0.1:{extension.port}"]
    assert told["x-forwarded-uri"] == [f"{_VERSION}/things"]


def test_addresses_are_written_as_go_writes_them(echo: httpx.Client) -> None:
    answer = echo.get(f"{_VERSION}/a%2Fb%20(c)?z=%20&b=2&a=x%2Fy&b=1&bad=%zz")
    assert answer.json()["target"] == f"{_VERSION}/a/b%20%28c%29?a=x%2Fy&b=2&b=1&z=+"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_bodies_of_any_size_are_passed_on(echo: httpx.Client, method: str) -> None:
    def pieces() -> Iterator[bytes]:
        yield from (b"x" * 65_536 for _ in range(100))

    answer = echo.request(method, f"{_VERSION}/things", content=pieces()).json()
    assert (answer["method"], answer["size"]) == (method, 6_553_600)


def test_the_answer_comes_with_its_code(echo: httpx.Client) -> None:
    answer = echo.get(f"{_VERSION}/teapot")
    assert (answer.status_code, answer.headers["content-type"]) == (418, "application/json")
    assert answer.headers["audit-id"] == dict(_headers(answer))["audit-id"]


def test_redirections_are_refused(echo: httpx.Client) -> None:
    answer = echo.get(f"{_VERSION}/redirect")
    assert answer.status_code == 502
    assert answer.text == "the backend attempted to redirect this request, which is not permitted"


def test_an_answer_without_end_is_passed_on_piece_by_piece(echo: httpx.Client, application: Echo) -> None:
    with echo.stream("GET", f"{_VERSION}/endless") as answer:
        assert next(answer.iter_bytes()) == b"first\n"
    left = threading.Event()
    for _ in range(1200):
        if application.left.is_set() or left.wait(0.05):
            break
    assert application.left.is_set()


def test_a_server_that_does_not_answer_is_waited_for_so_long(extension: Extension) -> None:
    limits = ConnectionLimits(request_seconds=5)
    with (
        Server(Settings(controllers=(), connections=limits)).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        delegate(client, extension)
        answer = client.get(f"{_VERSION}/silent")
    assert answer.status_code == 504
    assert answer.json()["message"] == "Timeout: request did not complete within the allotted timeout"


def test_web_sockets_are_left_to_the_other_server(echo: httpx.Client, server: Server) -> None:
    with connect(f"{server.url.replace('http', 'ws')}{_VERSION}/socket", open_timeout=60) as socket:
        socket.send("drow")
        assert socket.recv(20) == "word"


def test_an_upgrade_that_is_no_upgrade_is_refused(echo: httpx.Client) -> None:
    answer = echo.get(f"{_VERSION}/things", headers={"Connection": "Upgrade", "Upgrade": "foo"})
    assert (answer.status_code, answer.text) == (503, "invalid upgrade response: status code 200\n")


@pytest.mark.parametrize("headers", [{}, {"Connection": "Upgrade", "Upgrade": "foo"}])
def test_an_answer_that_ends_early_ends_early_for_the_client(
    echo: httpx.Client, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        echo.get(f"{_VERSION}/cut", headers=headers)
    logged = [record.exc_info[1] for record in caplog.records if record.exc_info]
    assert not [error for error in logged if isinstance(error, httpcore.RemoteProtocolError)]


def test_the_resources_of_a_version_are_those_of_the_other_server(echo: httpx.Client) -> None:
    assert [r["name"] for r in echo.get(_VERSION).json()["resources"]] == ["things", "things/status"]


def test_an_old_server_is_described_in_aggregated_discovery(echo: httpx.Client) -> None:
    accept = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
    items = echo.get("/apis", headers=accept).json()["items"]
    [group] = [item for item in items if item["metadata"]["name"] == GROUP]
    [version] = group["versions"]
    [resource] = version["resources"]
    assert (version["freshness"], resource["resource"], resource["scope"]) == ("Current", "things", "Namespaced")
    assert [s["subresource"] for s in resource["subresources"]] == ["status"]


def test_other_addresses_of_the_group_are_answered_here(echo: httpx.Client) -> None:
    assert json.loads(echo.get(f"/apis/{GROUP}").text)["preferredVersion"]["version"] == "v1"
    assert echo.get(f"/apis/{GROUP}/v2/things").status_code == 404
