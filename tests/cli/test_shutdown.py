"""``memkube serve`` answers the requests that it has accepted before it stops."""

import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from tests.cli.processes import SOON, Serving, run_memkube, serving

MAPS = "/api/v1/namespaces/default/configmaps"
BODY = b'{"metadata": {"name": "late"}}'


class Write:
    """A create whose body is sent in two parts."""

    def __init__(self, server: Serving) -> None:
        address = urlsplit(server.url)
        self._socket = socket.create_connection((address.hostname, address.port), timeout=SOON)
        head = f"POST {MAPS} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(BODY)}\r\nexpect: 100-continue\r\n\r\n"
        self._socket.sendall(head.encode())
        # The server is handling the request: it has asked for the body.
        assert self._socket.recv(1000).startswith(b"HTTP/1.1 100 ")

    def finish(self) -> bytes:
        """Send the rest of the body. Return everything that the server sends before the connection closes."""
        with self._socket:
            self._socket.sendall(BODY)
            return b"".join(iter(lambda: self._socket.recv(65536), b""))

    def close(self) -> None:
        self._socket.close()


@contextmanager
def connected(server: Serving) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=SOON) as client:
        yield client


def until_refused(server: Serving) -> None:
    """Wait until the server refuses new connections."""
    address = urlsplit(server.url)
    while True:
        try:
            socket.create_connection((address.hostname, address.port), timeout=SOON).close()
        except ConnectionError:
            return


def test_requests_that_were_accepted_are_answered(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none", "--slow-request-threshold", "0s") as server:
        write = Write(server)
        server.process.send_signal(signal.SIGTERM)
        until_refused(server)
        answer = write.finish()
        assert answer.startswith(b"HTTP/1.1 201 ")
        assert b"connection: close" in answer
        assert server.process.wait(SOON) == 0
        assert server.process.communicate() == ("", "")


def test_what_was_answered_while_it_stopped_is_kept(environment: dict[str, str], tmp_path: str) -> None:
    options = ("--controllers", "none", "--storage", f"sqlite:{tmp_path}/objects")
    with serving(environment, *options) as server:
        write = Write(server)
        server.process.send_signal(signal.SIGTERM)
        until_refused(server)
        assert write.finish().startswith(b"HTTP/1.1 201 ")
        assert server.process.wait(SOON) == 0
    with serving(environment, *options) as server, connected(server) as client:
        assert client.get(f"{MAPS}/late").status_code == 200


def test_watches_end_as_if_their_time_were_up(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none") as server, connected(server) as client:
        write = Write(server)
        with client.stream("GET", MAPS, params={"watch": "1", "resourceVersion": "1"}) as watch:
            server.process.send_signal(signal.SIGTERM)
            # The watch has ended with a last chunk (otherwise httpx would raise), while writes are still in progress.
            assert [line for line in watch.iter_lines() if json.loads(line)["type"] == "ERROR"] == []
        assert server.process.poll() is None
        assert write.finish().startswith(b"HTTP/1.1 201 ")
        assert server.process.wait(SOON) == 0


def test_a_second_signal_ends_it_at_once(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none") as server:
        write = Write(server)
        server.process.send_signal(signal.SIGTERM)
        until_refused(server)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SOON) == 1
        assert time.monotonic() - begun < SOON / 2
        write.close()


def test_requests_have_only_so_long(environment: dict[str, str]) -> None:
    options = ("--controllers", "none", "--shutdown-grace-duration", "100ms")
    with serving(environment, *options) as server:
        write = Write(server)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SOON) == 0
        write.close()


def test_it_serves_on_for_a_while_and_says_that_it_is_not_ready(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none", "--shutdown-delay-duration", "1h") as server:
        with connected(server) as client:
            server.process.send_signal(signal.SIGTERM)
            while client.get("/readyz").status_code == 200:
                pass
            assert "[-]shutdown failed" in client.get("/readyz").text
            assert client.get("/livez").status_code == 200
            assert client.post(MAPS, json=json.loads(BODY)).status_code == 201
        assert server.process.poll() is None


def test_it_stops_after_the_delay(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none", "--shutdown-delay-duration", "100ms") as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SOON) == 0


def test_others_are_told_to_come_again(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none", "--shutdown-send-retry-after") as server:
        write = Write(server)
        server.process.send_signal(signal.SIGTERM)
        with connected(server) as client:
            while (refused := client.get(MAPS)).status_code == 200:
                pass
            assert client.get("/livez").status_code == 200
            assert client.get("/metrics").status_code == 200
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        assert refused.headers["connection"] == "close"
        assert refused.text == "The apiserver is shutting down, please try again later.\n"
        assert write.finish().startswith(b"HTTP/1.1 201 ")
        assert server.process.wait(SOON) == 0


@pytest.mark.parametrize("option", ["--shutdown-delay-duration", "--shutdown-grace-duration"])
def test_durations_are_checked(environment: dict[str, str], option: str) -> None:
    done = run_memkube(environment, "serve", "--port", "0", option, "soon")
    assert (done.returncode, done.stdout) == (1, "")
    assert "soon" in done.stderr
