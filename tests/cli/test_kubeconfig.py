import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from memkube import Memkube
from tests.cli.processes import SOON, run_memkube

_PRODUCTION = """\
# Ours, with care.
apiVersion: v1
kind: Config
preferences: {}
clusters:
- {name: prod, cluster: {server: "https://prod.example", tls-server-name: a.example}}
users:
- {name: prod, user: {token: 2026-01-01, exec: {command: sign-in, env: [{name: A, value: "yes"}]}}}
contexts:
- {name: prod, context: {cluster: prod, user: prod, namespace: shop}}
current-context: prod
extensions: [{name: mine, extension: {since: 2024-01-01T00:00:00Z}}]
"""


@pytest.fixture
def path(home: Path) -> Path:
    path = home / ".kube" / "config"
    path.write_text(_PRODUCTION)
    path.chmod(0o640)
    return path


def _merge(environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return run_memkube(environment, "kubeconfig", "--merge", "-s", "http://127.0.0.1:1", *options)


def test_it_is_printed_and_nothing_is_touched(environment: dict[str, str], home: Path) -> None:
    done = run_memkube(environment, "kubeconfig", "--server", "http://127.0.0.1:1")
    config = yaml.safe_load(done.stdout)
    assert (config["current-context"], config["clusters"][0]["cluster"]["server"]) == ("memkube", "http://127.0.0.1:1")
    assert (home / ".kube" / "config").read_text() == "mine"


def test_what_is_in_the_file_stays(environment: dict[str, str], path: Path) -> None:
    assert (
        _merge(environment).stdout
        == f'wrote context "memkube" for http://127.0.0.1:1 to {path}, and made it the current one\n'
    )
    before, after = (yaml.load(text, yaml.BaseLoader) for text in (_PRODUCTION, path.read_text()))
    for key in ("clusters", "users", "contexts"):
        assert after[key][:-1] == before[key]
        assert after[key][-1]["name"] == "memkube"
    assert {**after, **{key: before[key] for key in ("clusters", "users", "contexts", "current-context")}} == before
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_current_context_stays_if_asked_to(environment: dict[str, str], path: Path) -> None:
    _merge(environment, "--no-use", "--context", "test")
    config = yaml.safe_load(path.read_text())
    assert (config["current-context"], config["contexts"][1]["name"]) == ("prod", "test")


def test_what_memkube_wrote_is_replaced(environment: dict[str, str], path: Path) -> None:
    _merge(environment)
    run_memkube(environment, "kubeconfig", "--merge", "-s", "http://127.0.0.1:2")
    clusters = yaml.safe_load(path.read_text())["clusters"]
    assert [c["cluster"]["server"] for c in clusters] == ["https://prod.example", "http://127.0.0.1:2"]


def test_a_name_of_another_cluster_is_refused(environment: dict[str, str], path: Path) -> None:
    done = _merge(environment, "--context", "prod")
    expected = f'memkube: {path} has an entry "prod" that memkube did not write: choose another name with --context\n'
    assert (done.returncode, done.stderr, path.read_text()) == (1, expected, _PRODUCTION)


@pytest.mark.parametrize("text", ["[1]", "clusters: ["])
def test_what_cannot_be_read_is_left_alone(environment: dict[str, str], path: Path, text: str) -> None:
    path.write_text(text)
    done = _merge(environment)
    assert (done.returncode, path.read_text(), list(path.parent.iterdir())) == (1, text, [path])
    assert done.stderr.startswith(f"memkube: cannot read {path}: ")


def test_a_file_that_kubectl_is_about_to_write_is_left_alone(environment: dict[str, str], path: Path) -> None:
    lock = path.with_name("config.lock")
    lock.touch()
    done = _merge(environment)
    assert (done.returncode, path.read_text(), lock.exists()) == (1, _PRODUCTION, True)
    assert str(lock) in done.stderr


def test_the_first_file_of_kubeconfig_is_made_and_a_link_followed(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "config")
    _merge({**environment, "KUBECONFIG": f"{tmp_path / 'link'}:{tmp_path / 'other'}"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "deep" / "config").stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "other").exists()


@pytest.mark.kubectl
@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH")
def test_kubectl_uses_what_was_merged(environment: dict[str, str], path: Path) -> None:
    with Memkube(controllers="none") as kube:
        run_memkube(environment, "kubeconfig", "--merge", "--no-use", "--context", "test", "-s", kube.url)
        command = ["kubectl", "--context", "test", "get", "namespaces", "-o", "name"]
        asked = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SOON, check=False)
    assert ("namespace/default" in asked.stdout, asked.stderr) == (True, "")
