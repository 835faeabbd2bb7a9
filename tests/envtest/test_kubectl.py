"""The program kubectl runs the real kubectl, or one of its built-in commands."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from memkube.envtest.kubectl import main, real_kubectl
from memkube.envtest.launchers import write_launchers
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.envtest.control_plane import FRAMEWORKS, control_plane


@pytest.fixture
def without_kubectl(tmp_path: Path) -> dict[str, str]:
    """Environment variables without a kubectl on PATH."""
    return {"PATH": "", "KUBECONFIG": str(tmp_path / "config")}


def test_the_first_real_kubectl_on_path_is_found(tmp_path: Path) -> None:
    for name in ("launchers", "others", "real"):
        (tmp_path / name).mkdir()
    write_launchers(tmp_path / "launchers")
    write_launchers(tmp_path / "others")
    real = tmp_path / "real" / "kubectl"
    real.write_text("#!/bin/sh\necho real $1\n")
    real.chmod(0o755)
    path = os.pathsep.join(str(tmp_path / name) for name in ("others", "launchers", "real"))
    assert real_kubectl({"PATH": path}) == real
    assert real_kubectl({"PATH": str(tmp_path / "others")}) is None
    launcher, environment = tmp_path / "launchers" / "kubectl", {"PATH": f"{path}:/bin"}
    done = subprocess.run([launcher, "get"], env=environment, text=True, capture_output=True, check=True)
    assert done.stdout == "real get\n"


def test_a_namespace_is_read_with_a_certificate(
    programs: Path, tmp_path: Path, without_kubectl: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with control_plane(programs, tmp_path, FRAMEWORKS["controller-runtime"]) as plane:
        certificate, key = plane.files.admin.written(tmp_path, "admin")
        flags = (f"--client-certificate={certificate}", f"--client-key={key}", "--request-timeout=60s")
        given = (f"--certificate-authority={plane.files.path('server-ca.crt')}", f"--server={plane.url}", *flags)
        assert main([*given, "get", "ns", "default"], without_kubectl) == 0
        assert capsys.readouterr().out.splitlines()[0].split() == ["NAME", "STATUS", "AGE"]
        assert main([*given, "get", "ns", "missing"], without_kubectl) == 1
        assert capsys.readouterr().err == 'Error from server (NotFound): namespaces "missing" not found\n'


def test_a_kubeconfig_is_edited_as_by_fabric8(
    tmp_path: Path, without_kubectl: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    certificate = tmp_path / "client.crt"
    certificate.write_text("PEM")

    def config(*arguments: str) -> tuple[int, str]:
        status = main(["config", *arguments], without_kubectl)
        told = capsys.readouterr()
        return status, (told.out or told.err).strip()

    assert config("current-context") == (1, "error: current-context is not set")
    set_cluster = ("set-cluster", "test", "--server=https://127.0.0.1:1", "--embed-certs=true")
    assert config(*set_cluster, f"--certificate-authority={certificate}") == (0, 'Cluster "test" set.')
    assert config("set-credentials", "test", f"--client-certificate={certificate}") == (0, 'User "test" set.')
    context = ("set-context", "test", "--cluster=test", "--namespace=default", "--user=test")
    assert config(*context) == (0, 'Context "test" created.')
    assert config(*context) == (0, 'Context "test" modified.')
    assert config("use-context", "other") == (1, 'error: no context exists with the name: "other"')
    assert config("use-context", "test") == (0, 'Switched to context "test".')
    assert config("current-context") == (0, "test")
    written = yaml.safe_load(Path(without_kubectl["KUBECONFIG"]).read_text())
    cluster = {"certificate-authority-data": "UEVN", "server": "https://127.0.0.1:1"}
    assert written["clusters"] == [{"name": "test", "cluster": cluster}]
    assert written["users"] == [{"name": "test", "user": {"client-certificate": str(certificate)}}]
    assert config("unset", "contexts.test") == (0, 'Property "contexts.test" unset.')
    assert config("unset", "current-context") == (0, 'Property "current-context" unset.')
    assert yaml.safe_load(Path(without_kubectl["KUBECONFIG"]).read_text())["contexts"] == []


def test_other_commands_need_the_real_kubectl(
    without_kubectl: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["apply", "-f", "x"], without_kubectl) == 1
    assert main(["get", "pods"], without_kubectl) == 1
    assert "there is no kubectl on PATH" in capsys.readouterr().err


def test_http_needs_no_certificates(without_kubectl: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with Server(Settings(controllers=())).in_thread() as server:
        assert main(["-s", server.url, "get", "namespace", "kube-system"], without_kubectl) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("kube-system   Active")


def test_the_launcher_runs_this_python(programs: Path) -> None:
    assert sys.executable in (programs / "kubectl").read_text()
