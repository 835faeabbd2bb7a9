"""Command lines that are understood without Typer mean what they mean to Typer."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from memkube.cli.plain import run_plainly
from memkube.cli.serve import app
from tests.cli.processes import run_memkube

_PLAIN = [
    "",
    "--port 0",
    "--port=8081 --host ::1",
    "--controllers none --nodes 3 --zones 2 --clock stepped",
    "--controllers=all,-scheduler --clock x60",
    "--kubeconfig /dev/null --snapshot there/is/none.json",
    "--storage sqlite:objects.db --durability relaxed",
    "--log-format json --verbose",
    "-v",
    "--max-watches 7 --max-streams 0 --max-requests-inflight 007",
    "--leader-elect-lease-seconds 2.5 --leader-elect-retry-seconds 1",
    "--shutdown-send-retry-after --shutdown-grace-duration 5s",
    "--service-account-extend-token-expiration false --api-audiences a,b",
    "--advertise-url http://[::1]:80/?a=b",
]
_NOT_PLAIN = [
    "--help",
    "--por 1",
    "port",
    "--port",
    "--port x",
    "--port -1",
    "--port 1_0",
    "--port ٣",
    "--port 1 --port 2",
    "--clock=",
    "--clock --verbose",
    "--verbose=true",
    "--no-verbose",
    "-vv",
    "--log-format xml",
    "--leader-elect-lease-seconds inf",
    "--service-account-issuer a --service-account-issuer b",
    "--storage memory -- --port",
]


@pytest.mark.parametrize("line", _PLAIN)
def test_a_plain_command_line_says_what_it_says_to_typer(line: str) -> None:
    context = get_command(app.typed()).make_context("serve", line.split())
    defaults = get_command(app.typed()).make_context("serve", []).params
    assert {**defaults, **(app.arguments(line.split()) or {})} == context.params
    assert app.arguments(line.split()) is not None


@pytest.mark.parametrize("line", _PLAIN)
def test_what_it_says_is_of_the_same_types(line: str) -> None:
    context = get_command(app.typed()).make_context("serve", line.split())
    found = app.arguments(line.split()) or {}
    assert {name: type(value) for name, value in found.items()} == {name: type(context.params[name]) for name in found}


@pytest.mark.parametrize("line", _NOT_PLAIN)
def test_whatever_else_is_left_to_typer(line: str) -> None:
    assert app.arguments(line.split()) is None


def test_a_file_that_cannot_be_read_is_left_to_typer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "snapshot").touch()
    assert app.arguments(["--snapshot", str(tmp_path / "snapshot")]) is not None
    monkeypatch.setattr("os.access", lambda *_: False)
    assert app.arguments(["--snapshot", str(tmp_path / "snapshot")]) is None


def test_other_commands_and_completion_are_left_to_typer() -> None:
    assert not run_plainly(["version"], {})
    assert not run_plainly([], {})
    assert not run_plainly(["serve", "--port", "x"], {})
    assert not run_plainly(["serve"], {"_MEMKUBE_COMPLETE": "complete_bash"})


def test_a_server_that_is_plainly_asked_for_starts_without_typer() -> None:
    program = (
        "import os, signal, sys\n"
        "from memkube.cli import serve\n"
        "from memkube.__main__ import main\n"
        "serve._announce = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.argv = ['memkube', 'serve', '--port', '0', '--controllers', 'none']\n"
        "main()\n"
        "print({'typer'} & sys.modules.keys())"
    )
    started = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=True, timeout=60)
    assert started.stdout == "set()\n"


@pytest.mark.parametrize("line", ["--port x", "--bogus", "--max-watches -3", "--log-format xml", "more"])
def test_wrong_usage_is_told_by_typer(environment: dict[str, str], line: str) -> None:
    done = run_memkube(environment, "serve", *line.split())
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: memkube serve [OPTIONS]")


def test_an_output_that_nobody_reads_ends_it_as_typer_does(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "memkube", "serve", "--port", "0", "--controllers", "none"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 1
