"""A stand-in for Testcontainers' k3s modules: their command line, and what they do with the log and the kubeconfig."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

_READY: Final = re.compile(r".*Node controller sync successful.*")
_FIELDS_IN_GO: Final = {
    "clusters": ("server", "certificate-authority-data"),
    "users": ("client-certificate-data", "client-key-data"),
}
"""The fields of clusters and users that the module for Go keeps."""


@contextmanager
def started(kubeconfig: Path, *arguments: str) -> Iterator[dict[str, Any]]:
    """Start the program, wait for the line in its log, and provide the kubeconfig."""
    command = [sys.executable, "-m", "memkube", "k3s", "server", "--https-listen-port", "0"]
    written = ("--write-kubeconfig", str(kubeconfig))
    with subprocess.Popen([*command, *written, *arguments], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            assert any(_READY.match(line) for line in program.stdout)
            yield yaml.safe_load(kubeconfig.read_text())
        finally:
            program.terminate()


def kubectl(config: dict[str, Any], folder: Path, *arguments: str) -> str:
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    command = ["kubectl", "--kubeconfig", str(path), *arguments]
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


@pytest.mark.kubectl
@pytest.mark.parametrize("disabling", ["--disable=traefik", "--no-deploy=traefik"])
def test_the_module_for_java_lists_the_node(disabling: str, tmp_path: Path) -> None:
    with started(tmp_path / "k3s.yaml", disabling, "--tls-san=localhost") as config:
        cluster = config["clusters"][0]["cluster"]
        cluster["server"] = cluster["server"].replace("127.0.0.1", "localhost")
        config["current-context"] = "default"
        assert kubectl(config, tmp_path, "get", "nodes", "-o", "name") == "node/node-1\n"


@pytest.mark.kubectl
def test_the_module_for_go_keeps_what_a_client_needs(tmp_path: Path) -> None:
    with started(tmp_path / "k3s.yaml", "--disable=traefik", "--tls-san=localhost") as config:
        for key, fields in _FIELDS_IN_GO.items():
            (entry,) = config[key]
            inner = entry[key[:-1]]
            entry[key[:-1]] = {field: inner[field] for field in fields}
        assert "system:masters" in kubectl(config, tmp_path, "auth", "whoami")


def test_the_kubeconfig_has_the_mode_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("K3S_KUBECONFIG_MODE", "644")
    with started(tmp_path / "k3s.yaml"):
        assert (tmp_path / "k3s.yaml").stat().st_mode & 0o777 == 0o644


@pytest.mark.kubectl
def test_a_client_without_a_certificate_is_refused(tmp_path: Path) -> None:
    with started(tmp_path / "k3s.yaml") as config:
        config["users"][0]["user"] = {"username": "nobody", "password": "none"}
        with pytest.raises(subprocess.CalledProcessError) as caught:
            kubectl(config, tmp_path, "get", "nodes")
        assert "Forbidden" in caught.value.stderr
