import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.processes import MEMKUBE, on_a_terminal, run_memkube

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "scenarios").glob("*.yaml"))
SCENARIO = """
name: a short one
until: 5m
expect: [{resource: nodes, count: 1}]
"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_pass(environment: dict[str, str], path: Path) -> None:
    command = [*MEMKUBE, "play", str(path), "--seed", "7"]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=300, check=False)
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
