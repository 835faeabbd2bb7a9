import subprocess

import httpx
import pytest

from memkube.gym import task_names
from tests.cli.processes import MEMKUBE, SOON, run_memkube
from tests.gym.episodes import SOLUTIONS, lines


def test_list_prints_the_tasks(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "gym", "list")
    assert [line.split()[0] for line in done.stdout.splitlines()] == task_names()


@pytest.mark.kubectl
def test_run_judges_a_command_that_solves_the_task(environment: dict[str, str]) -> None:
    (solution,) = lines("network-policy", SOLUTIONS["network-policy"]["solution"])
    script = f'echo "$MEMKUBE_TASK" && {solution}'
    done = run_memkube(environment, "gym", "run", "network-policy", "--seed", "3", "--", "sh", "-c", script)
    assert (done.returncode, done.stderr) == (0, "the command ended with status 0\n")
    assert done.stdout.startswith("Since its network policies were introduced")
    assert done.stdout.endswith("patched\nsolved\n")


@pytest.mark.kubectl
def test_run_says_why_a_task_is_not_solved(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "gym", "run", "wrong-selector", "--", "false")
    assert done.returncode == 1
    assert "FAILED service " in done.stdout
    assert done.stdout.endswith("\nnot solved\n")


def test_run_refuses_an_unknown_task(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "gym", "run", "quotta", "--", "true")
    assert done.returncode == 2
    assert "unknown task 'quotta': did you mean 'quota'?" in done.stderr


def test_serve_prints_the_address_of_its_environments(environment: dict[str, str]) -> None:
    command = [*MEMKUBE, "gym", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            assert words[:-1] == ["memkube", "serves", "up", "to", "8", "episodes", "at"]
            assert httpx.get(f"{words[-1]}/health", trust_env=False, timeout=SOON).json() == {"status": "healthy"}
        finally:
            process.kill()
