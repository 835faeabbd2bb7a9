"""Other kubectl versions over TLS, if they are installed beside the kubectl on PATH."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memkube import Memkube
from memkube.server.kubeconfig import kubeconfig_text
from tests.auth.certificates import Authority

MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "nginx:1.27"}]}
"""


def installed() -> list[Path]:
    """Return the programs named like ``kubectl.1.33`` in the folder of the kubectl on PATH."""
    found = shutil.which("kubectl")
    if found is None:
        return []
    beside = Path(found).resolve().parent.iterdir()
    return sorted(path for path in beside if re.fullmatch(r"kubectl\.1\.[0-9]+", path.name))


pytestmark = [
    pytest.mark.slow,
    pytest.mark.kubectl,
    pytest.mark.skipif(not installed(), reason="there are no other versions beside kubectl"),
]


@pytest.fixture(scope="module")
def kube() -> Iterator[Memkube]:
    with Memkube(tls=True, authorization="RBAC") as running:
        yield running


def run(program: Path, kubeconfig: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "HOME": str(kubeconfig.parent)}
    return subprocess.run(
        [program, *arguments], env=environment, input=stdin, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("program", installed(), ids=lambda path: path.name)
def test_a_version_works_over_tls(kube: Memkube, program: Path) -> None:
    namespace = program.name.replace(".", "-")
    steps = (
        ("create", "namespace", namespace),
        ("apply", "-n", namespace, "-f", "-"),
        ("rollout", "status", "-n", namespace, "deployment/web", "--timeout=60s"),
        ("get", "pods", "-n", namespace, "-l", "app=web", "-o", "wide"),
        ("exec", "-n", namespace, "deployment/web", "--", "echo", "executed"),
        ("auth", "can-i", "delete", "nodes"),
        ("delete", "namespace", namespace, "--wait=false"),
    )
    printed = ""
    for step in steps:
        done = run(program, kube.kubeconfig, *step, stdin=MANIFEST if "apply" in step else "")
        assert done.returncode == 0, (step, done.stderr)
        printed += done.stdout
    assert "successfully rolled out" in printed
    assert "executed" in printed


@pytest.mark.parametrize("program", installed(), ids=lambda path: path.name)
def test_a_version_refuses_a_server_of_another_authority(kube: Memkube, program: Path, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(kubeconfig_text(kube.url, token="any", authority=Authority.created().own.pem))
    done = run(program, config, "get", "namespaces")
    assert done.returncode == 1
    assert "certificate signed by unknown authority" in done.stderr


@pytest.mark.parametrize("program", installed(), ids=lambda path: path.name)
def test_a_version_is_told_that_its_token_is_wrong(kube: Memkube, program: Path, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(kube.kubeconfig_content)
    done = run(program, config, "--token", "wrong", "get", "namespaces")
    assert done.returncode == 1
    assert "You must be logged in to the server" in done.stderr
