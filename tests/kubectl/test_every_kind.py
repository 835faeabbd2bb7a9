"""Every built-in kind with kubectl. A new kind only needs an object in kinds.yaml."""

import os
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from memkube.apis.catalog import served_resources
from memkube.registry.declarations.resource import Resource
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server

Kubectl: TypeAlias = Callable[..., str]
_CREATABLE: Final = [r for r in served_resources() if {"create", "get"} <= set(r.verbs)]
_DESCRIBED_BY_BETA: Final = ("ipaddresses", "servicecidrs", "volumeattributesclasses")
"""Kinds that kubectl up to 1.33 describes with beta versions of the API, which Kubernetes 1.36 does not serve."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.kubectl,
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH"),
]


def _certificate_request() -> str:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "alice")])
    signed = x509.CertificateSigningRequestBuilder().subject_name(name)
    request = signed.sign(ec.generate_private_key(ec.SECP256R1()), SHA256())
    return b64encode(request.public_bytes(Encoding.PEM)).decode()


def _samples(namespace: str) -> Mapping[tuple[str, str], dict[str, Any]]:
    text = Path(__file__).with_name("kinds.yaml").read_text()
    text = text.replace("{namespace}", namespace).replace("{certificate request}", _certificate_request())
    return {(sample["apiVersion"], sample["kind"]): sample for sample in yaml.safe_load_all(text)}


@pytest.fixture
def kubectl(server: Server, namespace: str, tmp_path: Path) -> Kubectl:
    """Return a function that runs kubectl in the test's namespace and returns its output."""
    write_kubeconfig(tmp_path / "kubeconfig", server.url)
    environment = {**os.environ, "KUBECONFIG": os.fspath(tmp_path / "kubeconfig")}

    def run(*arguments: str, given: str = "", **variables: str) -> str:
        command = ["kubectl", "--namespace", namespace, *arguments]
        done = subprocess.run(
            command, input=given, env={**environment, **variables}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    return run


@pytest.mark.slow
@pytest.mark.parametrize("resource", _CREATABLE, ids=lambda r: f"{r.plural}.{r.group}/{r.version}")
def test_kubectl_does_everything_with_an_object(resource: Resource, kubectl: Kubectl, namespace: str) -> None:
    sample = _samples(namespace)[resource.api_version, resource.kind]
    manifest = yaml.safe_dump(sample)
    named = f"{resource.plural}.{resource.version}.{resource.group}", sample["metadata"]["name"]
    assert "KIND:" in kubectl("explain", resource.plural, f"--api-version={resource.api_version}", "--recursive")
    assert kubectl("create", "--filename=-", given=manifest).endswith(" created\n")
    try:
        kubectl("apply", "--filename=-", "--overwrite", given=manifest)
        kubectl("apply", "--server-side", "--force-conflicts", "--filename=-", given=manifest)
        kubectl("label", *named, "seen=yes")
        kubectl("patch", *named, "--type=merge", '--patch={"metadata":{"annotations":{"patched":"yes"}}}')
        kubectl("edit", *named, KUBE_EDITOR="sed -i s/patched/edited/")
        found = yaml.safe_load(kubectl("get", *named, "--output=yaml"))
        assert (found["metadata"]["labels"]["seen"], found["metadata"]["annotations"]["edited"]) == ("yes", "yes")
        assert sample["metadata"]["name"] in kubectl("get", *named, "--output=wide")
        assert resource.plural in _DESCRIBED_BY_BETA or kubectl("describe", *named)
    finally:
        kubectl("delete", *named, "--wait=false")


def test_there_is_an_object_of_every_kind() -> None:
    assert set(_samples("x")) >= {(resource.api_version, resource.kind) for resource in _CREATABLE}
