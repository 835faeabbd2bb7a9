"""Installs, upgrades, rolls back and uninstalls a release of Helm's own starter chart."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from memkube import Memkube
from tests.clients.worker import CLIENTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "helm/bin/helm").exists(), reason="Helm is not installed: make clients"),
]
Helm: TypeAlias = Callable[..., str]
_WAIT: Final = ("--wait", "--timeout", "60s")


@pytest.fixture
def kube() -> Iterator[Memkube]:
    with Memkube() as started:
        yield started


@pytest.fixture
def helm(kube: Memkube, tmp_path: Path) -> Helm:
    """Return a function that runs helm in a folder with the chart `web`. The test fails if helm fails."""
    environment = {"PATH": os.environ["PATH"], "HOME": os.fspath(tmp_path), "KUBECONFIG": os.fspath(kube.kubeconfig)}

    def run(*words: str) -> str:
        command = [os.fspath(CLIENTS / "helm/bin/helm"), *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, text=True, capture_output=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("create", "web")
    return run


def test_a_chart_is_installed_and_tested(kube: Memkube, helm: Helm) -> None:
    assert "STATUS: deployed" in helm("install", "shop", "./web", *_WAIT)
    assert kube.object("deployments", "shop-web")["status"]["readyReplicas"] == 1
    tested = helm("test", "shop", "--timeout", "60s")
    assert "Phase:          Succeeded" in tested
    assert kube.object("pods", "shop-web-test-connection")["status"]["phase"] == "Succeeded"


def test_a_release_is_upgraded_and_rolled_back(kube: Memkube, helm: Helm) -> None:
    helm("install", "shop", "./web", *_WAIT)
    helm("upgrade", "shop", "./web", "--set", "replicaCount=3", *_WAIT)
    assert kube.object("deployments", "shop-web")["status"]["readyReplicas"] == 3
    helm("rollback", "shop", "1", *_WAIT)
    assert kube.object("deployments", "shop-web")["spec"]["replicas"] == 1


def test_an_uninstalled_release_leaves_nothing(kube: Memkube, helm: Helm) -> None:
    helm("install", "shop", "./web", *_WAIT)
    helm("uninstall", "shop", *_WAIT)
    kinds = ("deployments", "services", "serviceaccounts", "pods", "replicasets")
    names = [found["metadata"]["name"] for kind in kinds for found in kube.objects(kind)]
    assert [name for name in names if "shop" in name] == []
