import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.processes import MEMKUBE, SOON, run_memkube

_ASK = "import os, urllib.request as r, yaml; c = yaml.safe_load(open(os.environ['KUBECONFIG']));"
_ASK += "print(r.urlopen(c['clusters'][0]['cluster']['server'] + '/readyz').read().decode())"


def test_run_gives_its_command_a_server_of_its_own(environment: dict[str, str], home: Path) -> None:
    done = run_memkube(environment, "run", "--", sys.executable, "-c", _ASK)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")
    assert list((home / "tmp").iterdir()) == []
    assert (home / ".kube" / "config").read_text() == "mine"


@pytest.mark.parametrize(
    ("code", "status"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 15)", 128 + 15)]
)
def test_run_returns_the_status_of_its_command(environment: dict[str, str], code: str, status: int) -> None:
    assert run_memkube(environment, "run", "--", sys.executable, "-c", code).returncode == status


def test_run_gives_its_command_the_environment_and_says_where_the_server_is(environment: dict[str, str]) -> None:
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    given = json.loads(run_memkube(environment, "run", "--", sys.executable, "-c", code).stdout)
    changed = {name for name in given if given[name] != environment.get(name)}
    assert changed - {"LC_CTYPE"} == {"KUBECONFIG", "MEMKUBE_SERVER"}


def test_run_leaves_options_of_the_command_alone(environment: dict[str, str]) -> None:
    done = run_memkube(
        environment, "run", "--", sys.executable, "-c", "import sys; print(sys.argv[1:])", "--help", "-x"
    )
    assert done.stdout == "['--help', '-x']\n"


def test_run_says_in_one_line_that_there_is_no_such_command(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "run", "--", "no-such-command")
    assert (done.returncode, done.stderr) == (127, "memkube: no-such-command: command not found\n")


def test_run_says_in_one_line_that_a_file_is_no_command(environment: dict[str, str], home: Path) -> None:
    done = run_memkube(environment, "run", "--", str(home / ".kube" / "config"))
    expected = f"memkube: {home / '.kube' / 'config'}: Permission denied\n"
    assert (done.returncode, done.stderr) == (126, expected)


_ENDS_BY_ITSELF = """
import signal, sys, threading
def end(*_):
    threading.Event().wait(0.5)
    print("ended", flush=True)
    sys.exit(9)
signal.signal(signal.SIGINT, end)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
while True:
    signal.pause()
"""


@contextlib.contextmanager
def _running(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    command = [*MEMKUBE, "run", "--controllers", "none", "--", sys.executable, "-c", _ENDS_BY_ITSELF]
    with subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_run_passes_on_that_it_is_to_end(environment: dict[str, str], home: Path) -> None:
    with _running(environment) as process:
        process.terminate()
        assert process.communicate(timeout=SOON) == ("ended\n", "")
        assert process.returncode == 9
    assert list((home / "tmp").iterdir()) == []


def test_run_waits_for_a_command_that_is_interrupted_from_the_terminal(environment: dict[str, str]) -> None:
    with _running(environment) as process:
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=SOON) == ("ended\n", "")
        assert process.returncode == 9
