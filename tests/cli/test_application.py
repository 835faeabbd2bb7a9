import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memkube.cli.application import COMMANDS, LazyCommand
from tests.cli.processes import MEMKUBE, SOON, on_a_terminal, run_memkube

_WIDTH = 60
"""Maximum width of a command's description in ``memkube --help``, in characters."""


def _modules_after(*words: str) -> set[str]:
    program = "import atexit, sys; from memkube.cli.application import main; sys.argv[0] = 'memkube'\n"
    program += "atexit.register(lambda: print(*sys.modules)); main({})"
    command = [sys.executable, "-c", program, *words]
    printed = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    return {word for word in printed.splitlines()[-1].split() if word.startswith("memkube.")}


def test_help_imports_no_command() -> None:
    few = {"memkube.cli", "memkube.cli.application", "memkube.cli.commands", "memkube.errors", "memkube.version"}
    assert _modules_after("--help") <= few


def test_help_of_a_command_imports_no_other() -> None:
    imported = {name for name in _modules_after("openapi", "--help") if name in {c.module for c in COMMANDS}}
    assert imported == {"memkube.cli.openapi"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_list_says_of_a_command_what_its_own_help_says(command: LazyCommand) -> None:
    first_line = (command.load().help or "").splitlines()[0]
    assert command.help == first_line.rstrip(".")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_list_is_not_cut_off(command: LazyCommand) -> None:
    assert command.get_short_help_str(_WIDTH) == command.help


def test_what_the_system_refuses_is_said_in_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run_memkube(environment, "serve", "--port", "0", "--kubeconfig", str(tmp_path / "file" / "kubeconfig"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"memkube: {tmp_path / 'file'}: File exists\n"


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals(environment: dict[str, str], variables: dict[str, str], coloured: bool) -> None:
    words = ("doctor", "--port", "1")
    assert "\x1b[" not in run_memkube(environment, *words).stdout
    assert ("\x1b[3" in on_a_terminal({**environment, **variables}, *words)) is coloured


@pytest.mark.parametrize("words", [(), ("clock",), ("sing",), ("serve", "--loud"), ("run",)])
def test_wrong_usage_ends_with_2(environment: dict[str, str], words: tuple[str, ...]) -> None:
    done = run_memkube(environment, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: memkube" in done.stderr


def test_an_interrupted_command_ends_with_130(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # A shell starts the commands that run in its background with SIGINT ignored.
        command = [
            "env",
            "--default-signal=INT",
            *MEMKUBE,
            "clock",
            "show",
            "--server",
            f"http://127.0.0.1:{listener.getsockname()[1]}",
        ]
        with subprocess.Popen(command, env=environment, text=True, stderr=subprocess.PIPE) as process:
            connection, _ = listener.accept()
            process.send_signal(signal.SIGINT)
            assert (process.wait(SOON), process.communicate()[1]) == (130, "")
            connection.close()
