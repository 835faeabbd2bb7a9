"""The server of environments, with real requests over HTTP and WebSockets on loopback."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import uvicorn
from websockets.sync.client import ClientConnection, connect

from memkube.gym import Environment, State
from memkube.gym.service import create_gym_application
from tests.gym.episodes import SOLUTIONS, lines

pytestmark = pytest.mark.kubectl

_SOON = 60.0


@contextlib.contextmanager
def _serving(most: int) -> Iterator[str]:
    app = create_gym_application(lambda prepared: Environment(preparations=prepared, most_steps=5), most)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with _serving(most=8) as served:
        yield served


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://{address}", timeout=_SOON) as made:
        yield made


def _asked(connection: ClientConnection, kind: str, **data: object) -> dict[str, object]:
    connection.send(json.dumps({"type": kind, "data": data}))
    answer: dict[str, object] = json.loads(connection.recv(timeout=_SOON))
    return answer


def test_an_episode_over_http(client: httpx.Client) -> None:
    begun = client.post("/reset", json={"seed": 3, "task": "network-policy"}).json()
    assert (begun["reward"], begun["done"]) == (None, False)
    (command,) = lines("network-policy", SOLUTIONS["network-policy"]["solution"])
    step = client.post("/step", json={"action": {"command": command}}).json()
    assert step["observation"]["exit_code"] == 0
    assert (step["reward"], step["done"]) == (1.0, True)
    state = State.model_validate(client.get("/state").json())
    assert (state.task, state.step_count, state.done, state.reward) == ("network-policy", 1, True, 1.0)


def test_an_episode_over_a_websocket(address: str) -> None:
    with connect(f"ws://{address}/ws", open_timeout=_SOON) as connection:
        begun = _asked(connection, "reset", seed=3, task="network-policy")
        assert begun["type"] == "observation"
        stepped = _asked(connection, "step", command="kubectl version")
        assert stepped["type"] == "observation"
        assert _asked(connection, "state")["data"]["step_count"] == 1  # type: ignore[index]
        connection.send('{"type": "close"}')


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("no json", "INVALID_JSON"),
        ('{"type": "jump"}', "UNKNOWN_TYPE"),
        ('{"type": "step", "data": {"cmd": "ls"}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"command": "exit"}}', "EXECUTION_ERROR"),
        ('{"type": "reset", "data": {"task": "nothing"}}', "EXECUTION_ERROR"),
    ],
)
def test_errors_over_a_websocket(address: str, message: str, code: str) -> None:
    with connect(f"ws://{address}/ws", open_timeout=_SOON) as connection:
        connection.send(message)
        answer = json.loads(connection.recv(timeout=_SOON))
        assert (answer["type"], answer["data"]["code"]) == ("error", code)


def test_errors_over_http(client: httpx.Client) -> None:
    assert client.post("/reset", json={"task": "nothing", "episode_id": "e"}).status_code == 409
    assert client.post("/step", json={"action": {"command": "exit"}, "episode_id": "unknown"}).status_code == 409
    assert client.post("/step", json={"action": {"cmd": "exit"}}).status_code == 422
    assert client.post("/reset", json={"tsk": "quota"}).status_code == 422


def test_the_description_of_the_environment(client: httpx.Client) -> None:
    assert client.get("/health").json() == {"status": "healthy"}
    assert "quota" in client.get("/metadata").json()["tasks"]
    schema = client.get("/schema").json()
    assert set(schema) == {"action", "observation", "state"}
    assert schema["action"]["required"] == ["command"]


def test_eight_episodes_side_by_side_do_not_see_each_other() -> None:
    with _serving(most=8) as address, httpx.Client(base_url=f"http://{address}", timeout=_SOON) as client:

        def play(number: int) -> tuple[str, str]:
            name = f"episode-{number}"
            client.post("/reset", json={"seed": 3, "task": "network-policy", "episode_id": name})
            create, read = lines(
                "network-policy",
                [
                    f"kubectl create configmap -n {{namespace}} c{number}",
                    "kubectl get configmap -n {namespace} -o name",
                ],
            )
            for command in (create, read):
                answer = client.post("/step", json={"action": {"command": command}, "episode_id": name}).json()
            return f"c{number}", answer["observation"]["output"]

        with ThreadPoolExecutor(8) as threads:
            for own, seen in threads.map(play, range(8)):
                assert seen.split() == [f"configmap/{own}", "configmap/kube-root-ca.crt"]
        refused = client.post("/reset", json={"seed": 3, "episode_id": "one too many"})
        assert refused.status_code == 429
