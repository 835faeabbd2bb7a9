import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.server.kubeconfig import kubeconfig_text
from memkube.server.server import Server
from memkube.server.serving_certificate import TlsOptions
from memkube.server.settings import Settings
from tests.auth.certificates import Authority

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH")
PLUGIN = """#!/bin/sh
echo asked >> "$(dirname "$0")/asked"
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "TOKEN"}}'
"""


def config(folder: Path, server: Server, token: str) -> Path:
    """Return a kubeconfig whose user asks a credential plugin for the token."""
    plugin = folder / "plugin"
    plugin.write_text(PLUGIN.replace("TOKEN", token))
    plugin.chmod(0o700)
    content = yaml.safe_load(kubeconfig_text(server.url, authority=server.authority))
    version = "client.authentication.k8s.io/v1"
    content["users"][0]["user"] = {
        "exec": {"apiVersion": version, "command": str(plugin), "interactiveMode": "Never"},
    }
    path = folder / "config"
    path.write_text(yaml.safe_dump(content))
    return path


def kubectl(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KUBECONFIG": str(path), "HOME": str(path.parent)}
    return subprocess.run(
        ["kubectl", *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(("token", "said"), [("root", "default"), ("wrong", "You must be logged in to the server")])
def test_a_credential_plugin_of_kubectl_gives_the_token(tmp_path: Path, token: str, said: str) -> None:
    options = AuthenticationOptions(token="root")
    with Server(Settings(controllers=(), authentication=options, tls=TlsOptions())).in_thread() as server:
        answer = kubectl(config(tmp_path, server, token), "get", "namespaces")
    assert said in answer.stdout + answer.stderr
    assert "asked" in (tmp_path / "asked").read_text()


def test_kubectl_refuses_a_server_of_another_authority(tmp_path: Path) -> None:
    settings = Settings(controllers=(), tls=TlsOptions())
    with Server(settings).in_thread() as server, Server(settings).in_thread() as other:
        path = tmp_path / "config"
        path.write_text(kubeconfig_text(server.url, token="any", authority=other.authority))
        answer = kubectl(path, "get", "namespaces")
    assert answer.returncode == 1
    assert "certificate signed by unknown authority" in answer.stderr


@pytest.mark.parametrize(("is_known", "said"), [(True, "alice"), (False, "You must be logged in to the server")])
def test_kubectl_is_the_user_of_its_certificate(tmp_path: Path, is_known: bool, said: str) -> None:
    authority = Authority.created()
    options = AuthenticationOptions(client_ca_file=authority.own.written(tmp_path, "ca")[0])
    certificate, key = (authority if is_known else Authority.created()).client("alice").written(tmp_path, "alice")
    path = tmp_path / "config"
    with Server(Settings(controllers=(), authentication=options, tls=TlsOptions())).in_thread() as server:
        path.write_text(kubeconfig_text(server.url, authority=server.authority))
        files = (f"--client-certificate={certificate}", f"--client-key={key}")
        answer = kubectl(path, *files, "auth", "whoami")
    assert said in answer.stdout + answer.stderr
