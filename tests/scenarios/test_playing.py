import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

import memkube
from tests.scenarios.day import SCENARIO

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}}}
CONTAINER = {"name": "app", "image": "nginx:1", "resources": {"requests": {"cpu": "200m"}}}
WEB: dict[str, Any] = {**POD, "spec": {"containers": [CONTAINER]}}
RUNNING = {"resource": "pods", "name": "web", "condition": "jsonpath={.status.phase}=Running"}


def play(*steps: dict[str, Any], until: str = "10m", **more: Any) -> memkube.Report:
    return memkube.play({"setup": WEB, "steps": steps, "until": until, **more})


def failures(*steps: dict[str, Any], **more: Any) -> list[str]:
    return play(*steps, **more).failures


def test_a_scenario_reports_what_happened() -> None:
    report = play(expect=[RUNNING])
    assert report.passed
    assert (report.ended - report.started).total_seconds() == 600
    assert report.pods == {"Running": 1}
    assert report.events["Scheduled"] == 1
    assert report.to_document()["passed"] is True


@pytest.mark.parametrize(
    ("check", "failure"),
    [
        ({"labels": "app=web", "count": 2}, "pods with app=web: expected 2, found 1"),
        ({"atLeast": 2}, "pods: expected at least 2, found 1"),
        ({"namespace": "default", "atMost": 0}, "pods in default: expected at most 0, found 1"),
        ({"expression": "objects.size() == 2"}, "pods: expected objects.size() == 2, found false"),
        ({"expression": "objects[1].kind == 'Pod'"}, "pods: the expression objects[1].kind == 'Pod' failed"),
        ({"name": "web", "expression": "object.spec.nodeName"}, 'expected object.spec.nodeName, found "node-1"'),
        (
            {"name": "web", "condition": "condition=Ready=False"},
            "pods web: expected condition=Ready=False; observedGeneration 1, phase Running",
        ),
        ({"name": "other", "expression": "true"}, "pods other: there is no such object"),
    ],
)
def test_an_expectation_that_is_not_met_is_a_failure(check: dict[str, Any], failure: str) -> None:
    (line,) = failures(expect=[{"resource": "pods", **check}])
    assert failure in line
    assert line.startswith("expect[0]: ")


def test_an_expectation_of_an_unknown_resource_is_a_failure() -> None:
    (line,) = failures(expect=[{"resource": "pots", "name": "web", "condition": "delete"}])
    assert line == "the server doesn't have a resource type 'pots': did you mean 'pods'?"


def test_a_scenario_adds_removes_and_reboots_nodes_of_a_pool() -> None:
    report = play(
        {"at": "1m", "addNodes": {"pool": "db", "count": 2}},
        {"at": "2m", "removeNode": "db-0"},
        {"at": "3m", "rebootNode": "db-1"},
        cluster={"nodePools": [{"name": "db"}]},
        expect=[{"resource": "nodes", "count": 2}],
    )
    assert report.passed, report.failures
    assert report.events["Rebooted"] == 1


def test_a_partition_ends_after_the_given_time() -> None:
    cut_off = {"resource": "nodes", "name": "node-1", "condition": "condition=Ready=Unknown"}
    ready = {"resource": "nodes", "name": "node-1", "condition": "condition=Ready"}
    steps = (
        {"at": "1m", "partitionNode": "node-1", "for": "2m"},
        {"at": "2m", "expect": [cut_off]},
        {"at": "4m", "expect": [ready]},
        {"at": "5m", "partitionNode": "node-1"},
        {"at": "6m", "expect": [cut_off]},
        {"at": "7m", "healNode": "node-1"},
    )
    assert failures(*steps, expect=[ready]) == []


def test_a_failed_node_recovers_after_the_given_time() -> None:
    failed = {"resource": "nodes", "name": "node-1", "condition": "condition=Ready=Unknown"}
    ready = {"resource": "nodes", "name": "node-1", "condition": "condition=Ready"}
    assert not failures(
        {"at": "1m", "failNode": "node-1", "for": "3m"}, {"at": "3m", "expect": [failed]}, expect=[ready]
    )


def test_a_load_is_a_share_of_the_requests() -> None:
    used: list[str] = []
    look = {"at": "5m", "call": lambda kube: used.append(kube.behaviors.all()["load"].cpu)}
    assert not failures({"at": "1m", "load": {"labelSelector": "app=web", "cpu": "80%"}}, look)
    assert used == ["160m"]


def test_a_rule_is_deleted_after_the_given_time() -> None:
    left: list[int] = []
    look = {"at": "3m", "call": lambda kube: left.append(len(kube.behaviors.all()))}
    rule = {"at": "1m", "rule": {"name": "slow", "pullSeconds": 5}}
    assert not failures({**rule, "for": "1m"}, look)
    assert not failures(rule, look)
    assert left == [0, 1]


def test_a_fault_hits_requests_until_it_ends() -> None:
    effect = {"type": "error", "code": 500}
    fault = {"at": "1m", "for": "2m", "fault": {"name": "down", "match": {"resources": ["pods"]}, "effect": effect}}
    delete = {"delete": {"resource": "pods", "name": "web"}}
    refused = {"at": "2m", "refused": "Internal error", **delete}
    assert not failures(fault, refused, {"at": "4m", **delete}, expect=[{**RUNNING, "condition": "delete"}])


def test_a_refused_action_ends_the_scenario() -> None:
    step = {"at": "1m", "failNode": "node-9"}
    assert failures(step) == ['steps[0] at 2026-01-05T00:01:00Z, failNode node-9: nodes "node-9" not found']


def test_a_scenario_that_an_exception_ends_has_failed() -> None:
    def stop(_: memkube.Memkube) -> None:
        raise KeyboardInterrupt

    with memkube.Memkube(clock="stepped", controllers=()) as kube:
        with pytest.raises(KeyboardInterrupt):
            memkube.play({"steps": [{"at": "1m", "call": stop}], "until": "2m"}, on=kube)
        (run,) = httpx.get(f"{kube.url}/memkube/v1/scenarios").json()["items"]
    assert (run["state"], run["failures"]) == ("failed", ["the scenario was broken off: KeyboardInterrupt()"])


def test_an_action_that_should_be_refused_fails_if_it_succeeds() -> None:
    (line,) = failures({"at": "1m", "failNode": "node-1", "refused": "not found"})
    assert line.endswith("expected a refusal with 'not found', but it succeeded")


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "web.yaml").write_text(json.dumps(WEB))
    (tmp_path / "scenario.yaml").write_text(json.dumps({"setup": "web.yaml", "until": "1m", "expect": [RUNNING]}))
    assert memkube.play(tmp_path / "scenario.yaml").passed


def test_the_event_log_has_a_line_for_each_change(tmp_path: Path) -> None:
    report = memkube.play({"setup": WEB, "until": "5m"}, events=tmp_path / "events.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert len(lines) == report.changes
    assert any(line["type"] == "created" and line["object"]["metadata"]["name"] == "web" for line in lines)


def test_another_seed_gives_another_event_log() -> None:
    assert play(seed=1).digest == play(seed=1).digest
    assert play(seed=1).digest != play(seed=2).digest


SHORT = {
    **SCENARIO,
    "cluster": {"nodes": 5, "zones": 2},
    "setup": [one for one in SCENARIO["setup"] if one["metadata"]["name"] in ("web-0", "web-1", "cron-0", "web")],
    "steps": [
        {"at": "5m", "for": "20m", "load": {"labelSelector": "app=web-0", "cpu": "60m"}},
        {"at": "10m", "for": "10m", "failNode": "node-2"},
    ],
    "until": "70m",
    "expect": [{"resource": "jobs", "count": 1}],
}


def test_two_processes_write_equal_event_logs_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "short.yaml").write_text(json.dumps(SHORT))
    for number in ("1", "2"):
        command = [sys.executable, "-m", "memkube", "play", "short.yaml", "--seed", "7", "--events", number]
        environment = {**os.environ, "PYTHONHASHSEED": number}
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=250, check=True)
    first, second = ((tmp_path / number).read_bytes() for number in ("1", "2"))
    assert len(first.splitlines()) > 2000
    assert first == second


@pytest.mark.slow
def test_a_quarter_of_a_day_of_a_large_cluster_is_equal_in_two_processes() -> None:
    first, second = (_quarter_of_a_day(hash_seed) for hash_seed in ("1", "2"))
    assert first["failures"] == []
    assert first == second


def _quarter_of_a_day(hash_seed: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-m", "tests.scenarios.day", "6"], env=environment, capture_output=True, check=True
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report
