import os
import socket
from pathlib import Path

import pytest

from memkube import Memkube, Refused, ServerError
from memkube.cli.control_api import DEFAULT_SERVER, ControlApi
from memkube.server.server import Server
from tests.cli.processes import run_memkube


def test_it_asks_and_answers_in_documents(server: Server) -> None:
    api = ControlApi(server.url + "/")
    assert api.put("/services/default/hook/443", {"port": 9443}) == {"host": "127.0.0.1", "port": 9443}
    assert api.get("/services")["items"][0]["name"] == "hook"
    assert api.delete("/services/default/hook/443") is None


def test_a_status_is_what_the_server_refuses_with(server: Server) -> None:
    with pytest.raises(Refused, match="the clock is not stepped") as refused:
        ControlApi(server.url).post("/clock/advance", {"seconds": 1})
    assert refused.value.code == 409


def test_lines_come_as_they_are(server: Server) -> None:
    with ControlApi(server.url).lines("GET", "/clock") as lines:
        assert next(lines).startswith(b'{"mode":"real"')


def test_an_error_of_the_reader_is_not_taken_for_one_of_the_server(server: Server) -> None:
    with pytest.raises(FileNotFoundError), ControlApi(server.url).lines("GET", "/clock"):
        os.stat("/no/such/file")  # noqa: PTH116 - any error of the system will do


def test_nobody_who_answers_is_said_in_one_line() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ServerError, match=f"^no server answers at {url}: Connection refused; start one"):
            ControlApi(url).get("/clock")


def test_a_server_without_the_control_api_is_said_not_to_be_memkube(server: Server) -> None:
    with pytest.raises(ServerError, match="is not memkube: it answers 404 Not Found"):
        ControlApi(f"{server.url}/elsewhere").get("/clock")


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://127.0.0.1", "http://"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ServerError, match="is not the address of a server"):
        ControlApi(url)


def test_the_server_is_named_or_that_of_the_kubeconfig_or_the_default_one(tmp_path: Path) -> None:
    with Memkube(controllers="none") as kube:
        environment = {"KUBECONFIG": str(kube.kubeconfig)}
        assert ControlApi.of("http://127.0.0.1:1", environment).url == "http://127.0.0.1:1"
        assert ControlApi.of("", environment).url == kube.url
    assert ControlApi.of("", {"HOME": str(tmp_path)}).url == DEFAULT_SERVER


def test_a_kubeconfig_that_does_not_exist_is_an_error(environment: dict[str, str]) -> None:
    done = run_memkube({**environment, "KUBECONFIG": "/nonexistent"}, "clock", "show")
    assert (done.returncode, done.stderr) == (1, "memkube: KUBECONFIG=/nonexistent: no such file\n")


def test_a_certificate_that_is_not_trusted_is_not_taken_for_a_missing_server() -> None:
    with Memkube(tls=True) as kube, pytest.raises(ServerError, match=r"is not trusted .*: set KUBECONFIG to"):
        ControlApi(kube.url).get("/clock")
