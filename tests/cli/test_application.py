import subprocess
import sys

import pytest

from memkube.cli.application import COMMANDS, Command
from tests.cli.processes import run_memkube


def _modules_after(*words: str) -> set[str]:
    program = "import atexit, sys; from memkube.cli.application import main; sys.argv[0] = 'memkube'\n"
    program += "atexit.register(lambda: print(*sys.modules)); main({})"
    command = [sys.executable, "-c", program, *words]
    printed = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    return {word for word in printed.splitlines()[-1].split() if word.startswith("memkube.")}


def test_help_imports_no_command() -> None:
    assert _modules_after("--help") <= {"memkube.cli", "memkube.cli.application", "memkube.errors", "memkube.version"}


def test_help_of_a_command_imports_no_other() -> None:
    imported = {name for name in _modules_after("openapi", "--help") if name in {c.module for c in COMMANDS}}
    assert imported == {"memkube.cli.openapi"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_list_says_of_a_command_what_its_own_help_says(command: Command) -> None:
    first_line = (command.load().help or "").splitlines()[0]
    assert command.help == first_line.rstrip(".")


@pytest.mark.parametrize("words", [("sing",), ("serve", "--loud"), ("run",)])
def test_wrong_usage_ends_with_2(environment: dict[str, str], words: tuple[str, ...]) -> None:
    done = run_memkube(environment, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: memkube" in done.stderr
