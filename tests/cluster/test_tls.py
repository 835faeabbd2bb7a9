import ssl
from base64 import b64decode
from pathlib import Path

import httpx
import pytest
import yaml

from memkube import Memkube, UsageError
from memkube.errors import ServerError
from tests.auth.certificates import Authority

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"containers": [{"name": "app", "image": "nginx"}]},
}


def test_a_cluster_over_tls_is_used_as_any_other() -> None:
    with Memkube(tls=True) as kube:
        kube.create(POD)
        kube.wait_for("pods", "web", "condition=Ready")
        assert kube.url.startswith("https://")
        # A client that reads and writes in two threads fails at about one of some hundred connections.
        assert all(kube.exec("web", ["echo", "hello"]).stdout == "hello\n" for _ in range(50))


def test_the_kubeconfig_has_the_authority_and_a_token(tmp_path: Path) -> None:
    with Memkube(tls=True, controllers="none") as kube:
        config = yaml.safe_load(kube.kubeconfig.read_text())
        assert config == yaml.safe_load(kube.kubeconfig_content)
        assert config["clusters"][0]["cluster"]["certificate-authority-data"]
        trusting_nobody = ssl.create_default_context(cadata=Authority.created().own.pem.decode())
        with httpx.Client(verify=trusting_nobody, trust_env=False) as client, pytest.raises(httpx.ConnectError):
            client.get(f"{kube.url}/version")
        with httpx.Client(verify=False, trust_env=False) as client:
            assert client.get(f"{kube.url}/version").status_code == 401


def test_namespaces_and_token_secrets_have_the_authority() -> None:
    with Memkube(tls=True) as kube:
        config = yaml.safe_load(kube.kubeconfig.read_text())
        authority = config["clusters"][0]["cluster"]["certificate-authority-data"]
        kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        annotations = {"kubernetes.io/service-account.name": "default"}
        metadata = {"name": "token", "namespace": "default", "annotations": annotations}
        kube.create(
            {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "kubernetes.io/service-account-token"}
        )
        kube.settle()
        published = [kube.get("configmaps", "kube-root-ca.crt", namespace=name) for name in ("default", "shop")]
        assert [config_map["data"]["ca.crt"] for config_map in published] == [b64decode(authority).decode()] * 2
        assert kube.get("secrets", "token")["data"]["ca.crt"] == authority


def test_a_cluster_for_other_machines_needs_tls_or_the_word() -> None:
    with pytest.raises(ServerError, match="every machine"), Memkube("0.0.0.0", controllers="none"):
        pass
    with Memkube("0.0.0.0", controllers="none", insecure=True) as kube:
        assert httpx.get(f"{kube.url}/version", trust_env=False).status_code == 200
    with Memkube("0.0.0.0", controllers="none", tls=True) as kube, httpx.Client(verify=False) as client:
        assert client.get(f"{kube.url}/version").status_code == 401


def test_further_host_names_can_be_allowed() -> None:
    with Memkube(controllers="none", allowed_hosts="api.example.com") as kube:
        answers = [
            httpx.get(f"{kube.url}/version", headers={"Host": host}, trust_env=False).status_code
            for host in ("api.example.com", "evil.example.com")
        ]
    assert answers == [200, 403]


@pytest.mark.parametrize("choices", [{"tls": "yes"}, {"insecure": 1}, {"allowed_hosts": [1]}])
def test_options_of_a_wrong_type_are_refused(choices: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="must be"):
        Memkube(**choices)  # type: ignore[arg-type]  # which is the mistake
