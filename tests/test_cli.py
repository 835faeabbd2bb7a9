import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml

_MEMKUBE = (sys.executable, "-m", "memkube")
_SOON = 30.0
"""Longer than a busy machine takes for what happens at once."""
_GRACE_AND_EXIT = 5.0
"""Less than anything but the end of the watch would allow for; on an idle machine it takes a third of a second."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a kubeconfig that nobody may touch, and a folder for temporary files."""
    kubeconfig = tmp_path / ".kube" / "config"
    kubeconfig.parent.mkdir()
    kubeconfig.write_text("mine")
    (tmp_path / "tmp").mkdir()
    return tmp_path


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    without = ("KUBECONFIG", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return {**kept, "HOME": str(home), "TMPDIR": str(home / "tmp")}


@dataclass
class Serving:
    process: subprocess.Popen[str]
    url: str
    kubeconfig: Path
    printed: list[str]


@contextlib.contextmanager
def _serving(environment: dict[str, str], *options: str) -> Iterator[Serving]:
    command = [*_MEMKUBE, "serve", "--port", "0", *options]
    process = subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout is not None
        printed = [process.stdout.readline().rstrip("\n") for _ in range(3)]
        path = Path(printed[1].removeprefix("kubeconfig: "))
        yield Serving(process, printed[0].split()[-1], path, printed)
    finally:
        process.kill()
        process.communicate()


def _run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [*_MEMKUBE, *words]
    return subprocess.run(command, env=environment, text=True, capture_output=True, timeout=_SOON, check=False)


def test_serve_prints_the_address_the_kubeconfig_and_a_line_to_copy(environment: dict[str, str]) -> None:
    with _serving(environment) as serving:
        assert serving.printed == [
            f"memkube serves Kubernetes 1.36 at {serving.url}",
            f"kubeconfig: {serving.kubeconfig}",
            f"export KUBECONFIG={serving.kubeconfig}",
        ]
        assert httpx.get(f"{serving.url}/readyz", trust_env=False).text == "ok"


def test_serve_writes_a_kubeconfig_for_its_owner_alone(environment: dict[str, str], home: Path) -> None:
    with _serving(environment) as serving:
        assert serving.kubeconfig.is_relative_to(home / "tmp")
        assert serving.kubeconfig.stat().st_mode & 0o777 == 0o600
        config = yaml.safe_load(serving.kubeconfig.read_text())
    assert config["clusters"][0]["cluster"]["server"] == serving.url
    assert (home / ".kube" / "config").read_text() == "mine"


def test_serve_writes_the_kubeconfig_where_it_is_told_to(environment: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "new" / "kubeconfig"
    with _serving(environment, "--kubeconfig", str(path)) as serving:
        assert serving.kubeconfig == path
        assert yaml.safe_load(path.read_text())["current-context"] == "memkube"


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_serve_ends_in_spite_of_an_open_watch(environment: dict[str, str], name: str) -> None:
    with _serving(environment) as serving:
        path = f"{serving.url}/api/v1/namespaces?watch=true"
        with httpx.Client(trust_env=False, timeout=_SOON) as client, client.stream("GET", path) as watch:
            assert json.loads(next(watch.iter_lines()))["type"] == "ADDED"
            serving.process.send_signal(getattr(signal, name))
            assert serving.process.wait(_GRACE_AND_EXIT) == 0
        assert serving.process.communicate() == ("", "")
        assert not serving.kubeconfig.exists()


def test_serve_says_in_one_line_that_the_port_is_taken(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = _run(environment, "serve", "--port", port)
    expected = f"memkube: cannot listen on 127.0.0.1:{port}: Address already in use\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_serve_says_in_one_line_that_a_controller_is_unknown(environment: dict[str, str]) -> None:
    done = _run(environment, "serve", "--port", "0", "--controllers", "nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memkube: ")
    assert "nobody" in done.stderr
    assert done.stderr.count("\n") == 1


def test_serve_says_in_one_line_that_a_file_holds_no_key(environment: dict[str, str], home: Path) -> None:
    path = home / ".kube" / "config"
    done = _run(environment, "serve", "--port", "0", "--service-account-signing-key-file", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memkube: failed to parse service-account-issuer-key-file: ")
    assert done.stderr.count("\n") == 1


def test_serve_takes_the_flags_of_the_reference_about_tokens(environment: dict[str, str]) -> None:
    flags = ("--service-account-issuer", "https://a.example", "--api-audiences", "b,c")
    with _serving(environment, "--controllers", "none", *flags) as serving:
        found = httpx.get(f"{serving.url}/.well-known/openid-configuration", trust_env=False).json()
        assert found["issuer"] == "https://a.example"
        accounts = f"{serving.url}/api/v1/namespaces/default/serviceaccounts"
        httpx.post(accounts, json={"metadata": {"name": "robot"}}, trust_env=False)
        answer = httpx.post(f"{accounts}/robot/token", json={}, trust_env=False).json()
        assert answer["spec"]["audiences"] == ["b", "c"]


def test_serve_says_in_one_line_that_an_admission_plugin_is_unknown(environment: dict[str, str]) -> None:
    done = _run(environment, "serve", "--port", "0", "--enable-admission-plugins", "PodPreset,Nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith('memkube: enable-admission-plugins plugin "Nobody" is unknown')
    assert done.stderr.count("\n") == 1


def test_serve_adds_admission_plugins(environment: dict[str, str]) -> None:
    with _serving(environment, "--enable-admission-plugins", "PodPreset") as serving:
        presets = httpx.get(f"{serving.url}/apis/settings.k8s.io/v1alpha1/podpresets", trust_env=False)
    assert presets.json()["kind"] == "PodPresetList"


@pytest.mark.parametrize("numbers", [("--nodes", "-1"), ("--zones", "0")])
def test_serve_says_in_one_line_that_a_number_makes_no_sense(
    environment: dict[str, str], numbers: tuple[str, str]
) -> None:
    done = _run(environment, "serve", "--port", "0", *numbers)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memkube: there cannot be ")
    assert done.stderr.count("\n") == 1


def test_serve_simulates_as_many_nodes_as_it_is_told_to(environment: dict[str, str]) -> None:
    with _serving(environment, "--nodes", "3", "--zones", "3") as serving:
        nodes = httpx.get(f"{serving.url}/api/v1/nodes", trust_env=False).json()["items"]
    assert [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes] == [
        "zone-1",
        "zone-2",
        "zone-3",
    ]


_ASK = "import os, urllib.request as r, yaml; c = yaml.safe_load(open(os.environ['KUBECONFIG']));"
_ASK += "print(r.urlopen(c['clusters'][0]['cluster']['server'] + '/readyz').read().decode())"


def test_run_gives_its_command_a_server_of_its_own(environment: dict[str, str], home: Path) -> None:
    done = _run(environment, "run", "--", sys.executable, "-c", _ASK)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")
    assert list((home / "tmp").iterdir()) == []
    assert (home / ".kube" / "config").read_text() == "mine"


@pytest.mark.parametrize(
    ("code", "status"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 15)", 128 + 15)]
)
def test_run_returns_the_status_of_its_command(environment: dict[str, str], code: str, status: int) -> None:
    assert _run(environment, "run", "--", sys.executable, "-c", code).returncode == status


def test_run_gives_its_command_the_environment_and_its_kubeconfig(environment: dict[str, str]) -> None:
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    given = json.loads(_run(environment, "run", "--", sys.executable, "-c", code).stdout)
    assert {name for name in given if given[name] != environment.get(name)} <= {"KUBECONFIG", "LC_CTYPE"}


def test_run_leaves_options_of_the_command_alone(environment: dict[str, str]) -> None:
    done = _run(environment, "run", "--", sys.executable, "-c", "import sys; print(sys.argv[1:])", "--help", "-x")
    assert done.stdout == "['--help', '-x']\n"


def test_run_says_in_one_line_that_there_is_no_such_command(environment: dict[str, str]) -> None:
    done = _run(environment, "run", "--", "no-such-command")
    assert (done.returncode, done.stderr) == (127, "memkube: no-such-command: command not found\n")
