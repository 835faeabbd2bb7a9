import asyncio
import gc
import json
import subprocess
import sys
import threading
import time
import weakref
from datetime import timedelta

import httpx
import pytest

from memkube.errors import CallTimeout, NotRunning
from memkube.server.server import Server, ServerError
from memkube.server.settings import Settings

_WHAT_FEW_ASK_FOR = {"jinja2", "prometheus_client", "websockets", "memkube.endpoints.openapi"}
_WHAT_NO_READ_NEEDS = {
    "cryptography", "httpcore", "jwt", "memkube.apimachinery.go_url",
    "memkube.apimachinery.structural", "memkube.apis.core.v1.pods.types", "memkube.controllers.kubelet.pod",
    "memkube.controllers.kubelet.programs", "memkube.cel",
}  # fmt: skip
_MODELS_OF_LATER_REQUESTS = {
    "memkube.apimachinery.decoding.yaml_body", "memkube.apimachinery.meta.v1.table",
    "memkube.controllers.kubelet.containers.behavior", "memkube.controllers.leader_election",
    "memkube.endpoints.streams", "memkube.faults.effects", "memkube.faults.rules", "memkube.telemetry.request_query",
}  # fmt: skip

_LITTERS = """
import signal, threading, weakref
import memkube.server.server
from memkube.server.garbage_collection import Collections
from memkube.server.settings import Settings

class Circle: pass

def litter():
    circle, gone = Circle(), threading.Event()
    circle.itself = circle
    weakref.finalize(circle, gone.set)
    del circle
    print(gone.wait(60))
    signal.raise_signal(signal.SIGINT)

memkube.server.server.Collections = lambda: Collections(seconds=0)
memkube.server.server.Server(Settings(controllers=())).run(threading.Thread(target=litter).start)
"""
"""A program with a server that collects garbage often, and an object in a reference cycle."""


def test_a_server_starts_without_what_few_ask_for() -> None:
    program = f"import sys, memkube.cli.serve; print({_WHAT_FEW_ASK_FOR | {'yaml'}} & sys.modules.keys())"
    started = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=True)
    assert started.stdout == "set()\n"


def test_the_first_answer_of_a_server_with_all_controllers_needs_little() -> None:
    program = (
        "import sys, memkube, urllib.request\n"
        "with memkube.Memkube() as kube:\n"
        "    urllib.request.urlopen(f'{kube.url}/api/v1/namespaces/default/pods').read()\n"
        # memkube's own API client imports websockets.
        f"print({_WHAT_FEW_ASK_FOR - {'websockets'} | _WHAT_NO_READ_NEEDS} & sys.modules.keys())"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout == "set()\n"


def test_the_first_answer_of_a_server_without_a_client_needs_less() -> None:
    program = (
        "import sys, urllib.request\n"
        "from memkube.cli import serve\n"
        "with serve.open_server(serve.Settings).in_thread() as server:\n"
        "    urllib.request.urlopen(f'{server.url}/api/v1/namespaces/default/pods').read()\n"
        f"print({_WHAT_FEW_ASK_FOR | _WHAT_NO_READ_NEEDS | _MODELS_OF_LATER_REQUESTS} & sys.modules.keys())"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout == "set()\n"


def test_a_server_that_serves_on_and_on_collects_its_garbage() -> None:
    ended = subprocess.run([sys.executable, "-c", _LITTERS], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "True\n"


def test_a_test_moves_the_clock_of_its_server() -> None:
    with Server(Settings(clock="stepped")).in_thread() as server:
        before = server.advance(0)
        assert server.advance(90) - before == timedelta(seconds=90)
        node = httpx.get(f"{server.url}/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1").json()
        assert node["spec"]["renewTime"] == server.advance(0).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_clock_that_runs_by_itself_cannot_be_moved() -> None:
    with (
        Server(Settings(controllers=())).in_thread() as server,
        pytest.raises(ServerError, match="the clock is not stepped"),
    ):
        server.advance(1)


def _seconds_to_stop(client: httpx.Client) -> float:
    """Return the seconds that a server with an open watch and an idle connection takes to stop."""
    with Server(Settings(controllers=())).in_thread() as server:
        client.get(f"{server.url}/readyz").raise_for_status()
        watch = client.stream("GET", f"{server.url}/api/v1/pods?watch=true")
        events = watch.__enter__().iter_lines()
        begun = time.perf_counter()
    seconds = time.perf_counter() - begun
    assert list(events) == []
    watch.__exit__(None, None, None)
    return seconds


@pytest.mark.alone
def test_it_stops_at_once_though_a_watch_and_an_idle_connection_are_open() -> None:
    with httpx.Client() as client:
        # uvicorn's shutdown sleeps for a fifth of a second. One fast attempt suffices, as others may be slow on a busy
        # machine.
        assert any(_seconds_to_stop(client) < 0.1 for _ in range(20))


def test_a_watch_that_has_had_an_event_ends_with_the_server(caplog: pytest.LogCaptureFixture) -> None:
    with httpx.Client() as client:
        with Server(Settings(controllers=())).in_thread() as server:
            config_maps = f"{server.url}/api/v1/namespaces/default/configmaps"
            watch = client.stream("GET", config_maps, params={"watch": "true"})
            events = watch.__enter__().iter_lines()
            client.post(config_maps, json={"metadata": {"name": "one"}}).raise_for_status()
            assert json.loads(next(events))["type"] == "ADDED"
        assert list(events) == []
        watch.__exit__(None, None, None)
    assert not caplog.records


def test_it_runs_once() -> None:
    server = Server(Settings(controllers=()))
    with server.in_thread():
        pass
    with pytest.raises(ServerError, match="can run only once"), server.in_thread():
        pass


def test_a_call_that_takes_too_long_is_given_up() -> None:
    cancelled = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with Server(Settings(controllers=())).in_thread() as server:
        with pytest.raises(CallTimeout, match=r"has not answered within 0\.01 s"):
            server.answer(wait(), timeout=0.01)
        assert cancelled.wait(60)


def test_its_own_thread_cannot_wait_for_itself() -> None:
    with Server(Settings(controllers=())).in_thread() as server, pytest.raises(NotRunning, match="wait for itself"):
        server.call(lambda: server.call(lambda: None))


def test_a_server_that_has_stopped_is_not_called() -> None:
    with Server(Settings(controllers=())).in_thread() as server:
        assert server.call(lambda: 1) == 1
    with pytest.raises(NotRunning, match="is not running"):
        server.call(lambda: 1)


def test_a_stopped_server_is_freed_without_the_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        with Server(Settings()).in_thread() as server:
            for path in ("/api/v1/namespaces/default/configmaps", "/readyz", "/metrics", "/openapi/v3", "/apis"):
                httpx.get(server.url + path).raise_for_status()
            registry, application = weakref.ref(server.registry), weakref.ref(server.checks)
        del server
        assert registry() is None
        assert application() is None
    finally:
        gc.enable()


def test_a_server_whose_web_page_was_used_is_freed() -> None:
    with Server(Settings()).in_thread() as server:
        httpx.get(f"{server.url}/ui/kinds").raise_for_status()
        httpx.get(f"{server.url}/ui/api/v1/namespaces").raise_for_status()
        registry = weakref.ref(server.registry)
    del server
    gc.collect()
    assert registry() is None


def test_a_server_whose_control_api_was_used_is_freed() -> None:
    with Server(Settings()).in_thread() as server:
        httpx.get(f"{server.url}/memkube/v1/clock").raise_for_status()
        httpx.get(f"{server.url}/memkube/v1/docs").raise_for_status()
        registry = weakref.ref(server.registry)
    del server
    gc.collect()
    assert registry() is None
