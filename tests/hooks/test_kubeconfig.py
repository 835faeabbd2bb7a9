import json
from pathlib import Path
from typing import Any

import pytest

from memkube.hooks.certificates import context_of
from memkube.hooks.configuration import ConfigurationRefused
from memkube.hooks.kubeconfig import read_webhook_kubeconfig
from tests.hooks.listening import Certificates


def _written(folder: Path, cluster: Any, user: dict[str, Any], context: str = "a") -> Path:
    path = folder / "kubeconfig"
    entries = {
        "clusters": [{"name": "a", "cluster": cluster}],
        "users": [{"name": "a", "user": user}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
    }
    path.write_text(json.dumps(entries | {"current-context": context}))
    return path


def test_files_are_found_beside_the_kubeconfig(tmp_path: Path, certificates: Certificates) -> None:
    (tmp_path / "ca.crt").write_bytes(certificates.bundle)
    (tmp_path / "token").write_text("secret\n")
    cluster = {"server": "https://example.com/a", "certificate-authority": "ca.crt"}
    connection = read_webhook_kubeconfig(_written(tmp_path, cluster, {"tokenFile": "token"}))
    assert connection.config.url == "https://example.com/a"
    assert connection.config.ca_bundle == certificates.bundle
    assert connection.headers == (("Authorization", "Bearer secret"),)


@pytest.mark.parametrize(
    ("cluster", "user", "context", "why"),
    [
        ({"server": "a"}, {}, "b", ": there is no context 'b'"),
        ("https://example.com", {}, "a", ": the cluster 'a' is not an object"),
        ({}, {}, "a", ": there is no field 'server'"),
        ({"server": "a", "proxy-url": "b"}, {}, "a", "memkube does not support the field proxy-url"),
        ({"server": "a"}, {"exec": {"command": "b"}}, "a", "memkube does not support the field exec"),
        ({"server": "a", "certificate-authority-data": "YQ=="}, {}, "a", "unable to load root certificates"),
        ({"server": "a", "certificate-authority": "missing"}, {}, "a", "No such file or directory"),
    ],
)
def test_what_cannot_be_used_is_refused(
    tmp_path: Path, cluster: Any, user: dict[str, Any], context: str, why: str
) -> None:
    path = _written(tmp_path, cluster, user, context)
    with pytest.raises(ValueError, match=r"cannot read the kubeconfig .* of a webhook: ") as error:
        read_webhook_kubeconfig(path)
    assert why in str(error.value)


def test_a_client_certificate_must_fit_its_key(tmp_path: Path, certificates: Certificates, certificate: bytes) -> None:
    user = {"client-certificate": "client.pem", "client-key": "client.pem"}
    (tmp_path / "client.pem").write_bytes(certificate)
    config = read_webhook_kubeconfig(_written(tmp_path, {"server": "https://a"}, user)).config
    assert context_of(config).check_hostname
    with pytest.raises(ConfigurationRefused, match="unable to load the client's certificate"):
        context_of(config._replace(certificate=certificates.bundle))


@pytest.mark.parametrize("text", ["", "a: [", "- a"])
def test_a_file_that_is_no_kubeconfig_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text)
    with pytest.raises(ValueError, match="cannot read the kubeconfig"):
        read_webhook_kubeconfig(path)
