import json
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.cli.processes import MEMKUBE, on_a_terminal, run_memkube, serving

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "scenarios").glob("*.yaml"))
SCENARIO = """
name: a short one
until: 5m
expect: [{resource: nodes, count: 1}]
"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_pass(environment: dict[str, str], path: Path) -> None:
    command = [*MEMKUBE, "play", str(path), "--seed", "7"]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=550, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.endswith("\npassed\n")


def test_a_failed_expectation_has_status_1(environment: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO.replace("count: 1", "count: 2"))
    done = run_memkube(environment, "play", str(path))
    assert done.returncode == 1
    assert done.stdout.endswith("FAILED expect[0]: nodes: expected 2, found 1\n1 failed\n")


def test_an_invalid_scenario_has_status_2(environment: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO.replace("until", "untill"))
    done = run_memkube(environment, "play", str(path))
    assert done.returncode == 2
    assert "unknown field 'untill': did you mean 'until'?" in done.stderr


def test_the_report_is_json(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    report = tmp_path / "report.json"
    run_memkube(environment, "play", str(tmp_path / "scenario.yaml"), "--report", str(report), "--seed", "3")
    document = json.loads(report.read_text())
    assert (document["seed"], document["passed"], document["ended"]) == (3, True, "2026-01-05T00:05:00+00:00")


def test_a_terminal_shows_a_progress_bar(environment: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO + "steps: [{at: 1m, failNode: node-1}]")
    assert "failNode node-1" in on_a_terminal(environment, "play", str(path))


def test_a_running_server_plays_a_scenario(environment: dict[str, str], tmp_path: Path) -> None:
    path, report = tmp_path / "scenario.yaml", tmp_path / "report.json"
    path.write_text(SCENARIO + "setup: [maps.yaml]\nsteps: [{at: 1m, failNode: node-1, for: 1m}]")
    (tmp_path / "maps.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: kept}}\n")
    with serving(environment, "--clock", "stepped") as server:
        done = run_memkube(environment, "play", str(path), "--server", server.url, "--report", str(report))
        kept = httpx.get(f"{server.url}/api/v1/namespaces/default/configmaps/kept", trust_env=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{server.url}/ui/scenarios/1\na short one: ")
    assert done.stdout.endswith("\npassed\n")
    assert kept.status_code == 200
    assert json.loads(report.read_text())["steps"] == 1


@pytest.mark.parametrize(
    ("clock", "options", "problem"),
    [
        ("real", (), "start the server with --clock stepped"),
        ("stepped", ("--seed", "1"), "--seed is for a new server"),
        ("stepped", ("--events", "log"), "--events is for a new server"),
    ],
)
def test_what_a_running_server_cannot_play_has_status_2(
    environment: dict[str, str], tmp_path: Path, clock: str, options: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    with serving(environment, "--clock", clock) as server:
        done = run_memkube(environment, "play", str(tmp_path / "scenario.yaml"), "--server", server.url, *options)
    assert done.returncode == 2
    assert problem in done.stderr
