"""The certificate authority of a cluster survives a restart of the server."""

from base64 import b64decode, b64encode
from pathlib import Path

import httpx
import orjson
from cryptography import x509
from cryptography.x509 import AuthorityKeyIdentifier

import memkube
from tests.controllers.certificates.signing_requests import CLIENT, request_pem

CONTROLLER = "certificatesigningrequest-signing-controller"


def issuer_of_new_certificate(kube: memkube.Memkube, name: str) -> bytes:
    """Return the identifier of the key that signed the certificate of a new request."""
    spec = {"request": b64encode(request_pem()).decode(), "signerName": CLIENT, "usages": ["client auth"]}
    kube.apply(
        {
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"name": name},
            "spec": spec,
        }
    )
    conditions = [{"type": "Approved", "status": "True"}]
    path = f"/apis/certificates.k8s.io/v1/certificatesigningrequests/{name}/approval"
    approve(kube.url + path, {"status": {"conditions": conditions}})
    found = kube.wait_for(
        "certificatesigningrequests", name, lambda stored: bool((stored or {})["status"].get("certificate"))
    )
    assert found is not None
    certificate = x509.load_pem_x509_certificate(b64decode(found["status"]["certificate"]))
    identifier = certificate.extensions.get_extension_for_class(AuthorityKeyIdentifier).value.key_identifier
    assert identifier is not None
    return identifier


def approve(url: str, patch: object) -> None:
    headers = {"Content-Type": "application/merge-patch+json"}
    httpx.patch(url, content=orjson.dumps(patch), headers=headers, trust_env=False).raise_for_status()


def test_servers_on_one_storage_have_one_authority(tmp_path: Path) -> None:
    storage = f"sqlite:{tmp_path / 'memkube.db'}"
    with memkube.Memkube(storage=storage, controllers=CONTROLLER) as kube:
        before = issuer_of_new_certificate(kube, "a")
    with memkube.Memkube(storage=storage, controllers=CONTROLLER) as kube:
        assert issuer_of_new_certificate(kube, "b") == before


def test_a_snapshot_has_the_authority(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    with memkube.Memkube(controllers=CONTROLLER) as kube:
        before = issuer_of_new_certificate(kube, "a")
        kube.snapshot().save(path)
    with memkube.Memkube(controllers=CONTROLLER, snapshot=path) as kube:
        assert issuer_of_new_certificate(kube, "b") == before
