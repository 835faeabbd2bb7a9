"""Scenarios that are sent to a running server."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import memkube
from memkube.controllers.options import ControllerOptions
from memkube.scenarios.posting import ServerPlayer, sendable
from memkube.server.server import Server
from memkube.server.settings import Settings, StorageOptions
from tests.control.conftest import finished

SCENARIOS = "/memkube/v1/scenarios"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "main", "image": "nginx"}]},
}
RUNNING = {"resource": "pods", "name": "web", "condition": "jsonpath={.status.phase}=Running"}
SHORT: dict[str, Any] = {
    "name": "a short one",
    "setup": POD,
    "steps": [
        {"at": "1m", "failNode": "node-1", "for": "2m"},
        {"at": "2m", "every": "2m", "expect": [RUNNING]},
    ],
    "until": "6m",
}


@contextlib.contextmanager
def playing(settings: Settings) -> Iterator[httpx.Client]:
    """Yield a client of a server that plays the scenarios that it is sent."""
    with (
        Server(settings).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=60) as connected,
    ):
        server.parts.scenarios.player = ServerPlayer(server)
        yield connected


@pytest.fixture
def player(place: StorageOptions) -> Iterator[httpx.Client]:
    settings = Settings(storage=place, clock="stepped", controller_options=ControllerOptions(nodes=2, zones=2))
    with playing(settings) as connected:
        yield connected


def begin(client: httpx.Client, scenario: dict[str, Any], **more: Any) -> Any:
    """Send a scenario, and return its state."""
    answer = client.post(SCENARIOS, json={"scenario": scenario, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def refusal(client: httpx.Client, scenario: dict[str, Any], **more: Any) -> tuple[int, str]:
    """Send a scenario, and return the code and the message of the error."""
    answer = client.post(SCENARIOS, json={"scenario": scenario, **more})
    return answer.status_code, answer.json()["message"]


def test_a_scenario_is_played_on_the_running_server(player: httpx.Client) -> None:
    begun = begin(player, SHORT)
    assert [step["total"] for step in begun["steps"]] == [2, 3]
    told = finished(player, begun["number"])
    assert (told["state"], told["failures"], told["now"]) == ("passed", [], told["end"])
    assert [(step["happened"], step["next"]) for step in told["steps"]] == [(2, None), (3, None)]
    assert told["result"]["steps"] == 4
    assert told["result"]["pods"] == {"Running": 1}
    assert told["steps"][0]["details"] == {"failNode": "node-1"}


def test_a_failed_check_is_told(player: httpx.Client) -> None:
    failing = {"until": "1m", "expect": [{"resource": "nodes", "count": 7}]}
    told = finished(player, begin(player, failing)["number"])
    assert (told["state"], told["failures"]) == ("failed", ["expect[0]: nodes: expected 7, found 2"])


def test_a_scenario_is_stopped(player: httpx.Client) -> None:
    begun = begin(player, {"until": "24h"}, speed=60)
    assert refusal(player, SHORT) == (
        409,
        f"scenario {begun['number']} (without a name) is being played: stop it, or wait for its end",
    )
    told = player.post(f"{SCENARIOS}/{begun['number']}/stop").json()
    assert told["state"] == "stopped"
    assert told["now"] < told["end"]
    assert finished(player, begin(player, SHORT)["number"])["state"] == "passed"


def test_other_requests_are_answered_while_a_scenario_is_played_slowly(player: httpx.Client) -> None:
    begun = begin(player, {"until": "24h", "steps": [{"at": "23h", "failNode": "node-1"}]}, speed=60)
    player.put("/memkube/v1/snapshots/meanwhile").raise_for_status()
    player.post("/memkube/v1/clock/advance", json={"seconds": 60}).raise_for_status()
    told = player.post(f"{SCENARIOS}/{begun['number']}/stop").json()
    assert [step["happened"] for step in told["steps"]] == [0]


def test_an_action_stays_active_until_it_is_undone(player: httpx.Client) -> None:
    begun = begin(player, {"until": "24h", "steps": [{"failNode": "node-1", "for": "23h"}]}, speed=60)
    path = f"{SCENARIOS}/{begun['number']}"
    while not (step := player.get(path).json()["steps"][0])["happened"]:
        pass
    assert (step["active"], step["undoes"]) == (True, True)
    player.post(f"{path}/stop").raise_for_status()


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ({"until": "1m", "step": []}, "scenario: step: unknown field 'step': did you mean 'steps'?"),
        ({"until": "1m", "setup": "web.yaml"}, "setup: a scenario that is sent to a server cannot read files"),
        (
            {"until": "1m", "steps": [{"apply": [POD, "web.yaml"]}]},
            "steps[0].apply: a scenario that is sent to a server cannot read files",
        ),
        (
            {"until": "1m", "steps": [{"snapshot": {"path": "s"}}]},
            "steps[0].snapshot: a scenario that is sent to a server cannot write files",
        ),
        ({"until": "1m", "folder": "/"}, "folder: a scenario that is sent to a server must not set it"),
        ({"until": "2020-01-01T00:00:00Z"}, "until: 2020-01-01T00:00:00Z is before the start"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_refused(
    player: httpx.Client, scenario: dict[str, Any], message: str
) -> None:
    code, told = refusal(player, scenario)
    assert code == 422
    assert told.startswith(message)


def test_options_of_a_new_server_are_told_to_have_no_effect(player: httpx.Client) -> None:
    begun = begin(player, {"until": "1m", "seed": 3, "cluster": {"nodes": 5}})
    assert begun["ignored"] == ["cluster.nodes", "seed"]


def test_the_newest_scenarios_are_listed(player: httpx.Client) -> None:
    for name in ("first", "second"):
        finished(player, begin(player, {"name": name, "until": "1m"})["number"])
    told = player.get(SCENARIOS).json()
    assert told["refusal"] == ""
    assert [one["name"] for one in told["items"]] == ["second", "first"]
    assert player.get(f"{SCENARIOS}/9").json()["message"] == 'scenarios "9" not found'


def test_a_server_that_stops_ends_its_scenario_first() -> None:
    with (
        Server(Settings(clock="stepped", controllers=())).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client,
    ):
        server.parts.scenarios.player = ServerPlayer(server)
        begin(client, {"name": "long", "until": "1h"}, speed=60)
    (run,) = server.parts.scenarios.newest_first()
    assert (run.state, run.failures) == ("stopped", [])
    assert run.result is not None


def test_a_clock_that_runs_by_itself_is_refused() -> None:
    with playing(Settings(controllers=())) as client:
        code, told = refusal(client, SHORT)
        assert code == 409
        assert "start the server with --clock stepped" in told


def test_a_server_without_a_player_says_so(stepped: httpx.Client) -> None:
    assert refusal(stepped, SHORT)[0] == 501
    assert "memkube serve" in stepped.get(SCENARIOS).json()["refusal"]


def test_a_python_program_plays_on_its_cluster() -> None:
    with memkube.Memkube(nodes=2, clock="stepped") as kube:
        report = memkube.play({**SHORT, "seed": 1}, on=kube)
        assert (report.passed, report.seed, report.ignored) == (True, None, ["seed"])
        told = httpx.get(f"{kube.url}{SCENARIOS}/1", trust_env=False).json()
        assert (told["state"], told["name"]) == ("passed", "a short one")


def test_a_python_program_gives_the_seed_to_a_new_server_only() -> None:
    with (
        memkube.Memkube(nodes=0, clock="stepped") as kube,
        pytest.raises(memkube.UsageError, match="give the seed to the server"),
    ):
        memkube.play(SHORT, on=kube, seed=1)


def test_manifest_files_are_sent_as_objects(tmp_path: Path) -> None:
    (tmp_path / "web.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}\n")
    path = tmp_path / "scenario.yaml"
    path.write_text("{until: 1m, setup: web.yaml, steps: [{at: 30s, apply: [web.yaml]}]}\n")
    objects = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}]
    assert sendable(path) == {"until": "1m", "setup": objects, "steps": [{"at": "30s", "apply": objects}]}
