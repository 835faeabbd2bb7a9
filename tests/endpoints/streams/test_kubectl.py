import os
import pty
import re
import shutil
import struct
import subprocess
import termios
from collections.abc import Callable, Iterator
from fcntl import ioctl
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest

from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server

_KUBECTL = shutil.which("kubectl")
_Run: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = [pytest.mark.kubectl, pytest.mark.skipif(_KUBECTL is None, reason="there is no kubectl on PATH")]


def _programs() -> list[str]:
    """Return the newest kubectl, and older ones that use SPDY (kubectl 1.30 for port-forward alone)."""
    folder = Path(_KUBECTL or "").resolve().parent
    older = [folder / f"kubectl.{version}" for version in ("1.30", "1.27")]
    return [_KUBECTL or "kubectl", *(str(path) for path in older if path.exists())]


@pytest.fixture(params=_programs(), ids=os.path.basename)
def command(request: pytest.FixtureRequest, server: Server, namespace: str, tmp_path: Path, pod: str) -> list[str]:
    """The beginning of a kubectl command line for the test's namespace."""
    kubeconfig = tmp_path / "kubeconfig"
    write_kubeconfig(kubeconfig, server.url)
    return [request.param, f"--kubeconfig={kubeconfig}", f"--cache-dir={tmp_path}", "--namespace", namespace]


_TOO_EARLY = re.compile(r"E.* websocket\.go:\d+\] Unknown stream id 1, discarding message\n")
"""Log message of kubectl on a busy machine.

The server begins with an empty message, which may arrive before kubectl has created the stream.
"""


@pytest.fixture
def kubectl(command: list[str]) -> _Run:
    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        done = subprocess.run([*command, *words], input=stdin, text=True, capture_output=True, timeout=60, check=False)
        done.stderr = _TOO_EARLY.sub("", done.stderr)
        return done

    return run


def test_exec_prints_what_the_command_writes(kubectl: _Run) -> None:
    assert kubectl("exec", "web", "--", "echo", "a", "b").stdout == "a b\n"


def test_exec_feeds_the_command_until_its_input_ends(kubectl: _Run) -> None:
    text = "line\n" * 50_000
    assert kubectl("exec", "-i", "web", "--", "cat", stdin=text).stdout == text


def test_exec_takes_over_the_exit_code_and_the_error_output(kubectl: _Run) -> None:
    done = kubectl("exec", "web", "--", "fail", "3")
    assert (done.returncode, done.stderr) == (3, "failed\ncommand terminated with exit code 3\n")


def test_exec_gets_all_of_a_long_output(kubectl: _Run) -> None:
    assert len(kubectl("exec", "web", "--", "yes", "50").stdout) == 5_000_000


def test_exec_says_why_a_command_cannot_run(kubectl: _Run) -> None:
    message = 'error executing command in container: exec: "nope": executable file not found in $PATH'
    assert kubectl("exec", "web", "--", "nope").stderr == f"error: Internal error occurred: {message}\n"


def test_exec_shows_what_the_server_refuses(kubectl: _Run) -> None:
    refused = "Error from server (BadRequest): container other is not valid for pod web\n"
    assert kubectl("exec", "web", "-c", "other", "--", "cat").stderr == refused


def test_attach_reaches_the_process_of_the_container(kubectl: _Run) -> None:
    done = kubectl("attach", "-i", "web", stdin="hello")
    assert (done.returncode, done.stdout) == (0, "attached to app\nhello")


def test_logs_are_text(kubectl: _Run) -> None:
    assert kubectl("logs", "web").stdout == "first\nsecond\n"
    assert kubectl("logs", "web", "--previous").stderr.startswith("Error from server (BadRequest): previous terminated")


def test_a_terminal_tells_its_size(command: list[str]) -> None:
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
    try:
        started = [*command, "exec", "-it", "web", "--", "size"]
        with subprocess.Popen(started, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            assert process.wait(60) == 0
        assert b"99x33" in os.read(ours, 1000)
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.fixture
def forwarded(command: list[str]) -> Iterator[list[int]]:
    """Run kubectl port-forward for the pod's ports 80 and 7, and yield the local ports."""
    started = [*command, "port-forward", "--address=127.0.0.1", "pod/web", ":80", ":7"]
    with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(2)]
        yield [int(found[1]) for line in lines if (found := re.search(r"127\.0\.0\.1:(\d+)", line))]
        process.terminate()


def test_a_forwarded_port_serves_one_connection_after_another(forwarded: list[int]) -> None:
    for _ in range(3):
        assert httpx.get(f"http://127.0.0.1:{forwarded[0]}/", trust_env=False).text == "hello\n"
