from base64 import b64decode, b64encode

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from tests.admission.node_restriction.refusals import MERGE_PATCH, SPEC, why_refused


def test_a_kubelet_renews_its_lease_alone(kubelet: httpx.Client, name: str) -> None:
    leases = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"
    own, spec = {"name": name}, {"holderIdentity": "x", "leaseDurationSeconds": 9}
    elsewhere = kubelet.post(leases.format("default"), json={"metadata": own, "spec": spec})
    assert why_refused(elsewhere) == 'can only access leases in the "kube-node-lease" system namespace'
    node_leases = leases.format("kube-node-lease")
    other = kubelet.post(node_leases, json={"metadata": {"name": "other"}, "spec": spec})
    assert why_refused(other) == "can only access node lease with the same name as the requesting node"
    assert kubelet.post(node_leases, json={"metadata": own, "spec": spec}).status_code == 201


def test_a_kubelet_describes_its_own_drivers(kubelet: httpx.Client, name: str) -> None:
    path, spec = "/apis/storage.k8s.io/v1/csinodes", {"drivers": list[str]()}
    other = kubelet.post(path, json={"metadata": {"name": "other"}, "spec": spec})
    assert why_refused(other) == "can only access CSINode with the same name as the requesting node"
    assert kubelet.post(path, json={"metadata": {"name": name}, "spec": spec}).status_code == 201


def test_a_kubelet_offers_its_own_devices(kubelet: httpx.Client) -> None:
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    body = {"metadata": {"name": "a"}, "spec": {"driver": "x.com", "nodeName": "other", "pool": pool}}
    refused = kubelet.post("/apis/resource.k8s.io/v1/resourceslices", json=body)
    assert why_refused(refused) == "can only create ResourceSlice with the same NodeName as the requesting node"


def _request(name: str) -> str:
    """Return a PEM certificate request for this common name, in base64 as in a CertificateSigningRequest."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    key = ec.generate_private_key(ec.SECP256R1())
    signed = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    return b64encode(signed.public_bytes(Encoding.PEM)).decode()


@pytest.mark.parametrize(
    ("signer", "subject", "why"),
    [
        ("kubernetes.io/kubelet-serving", "system:node:{}", ""),
        ("kubernetes.io/kubelet-serving", "system:node:other", "can only create a node CSR with CN=system:node:{}"),
        ("example.com/other", "system:node:other", ""),
    ],
)
def test_a_kubelet_asks_for_certificates_in_its_own_name(
    kubelet: httpx.Client, name: str, signer: str, subject: str, why: str
) -> None:
    usages = ["digital signature", "key encipherment", "server auth"]
    spec = {"request": _request(subject.format(name)), "signerName": signer, "usages": usages}
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    answer = kubelet.post(path, json={"metadata": {"generateName": "csr-"}, "spec": spec})
    assert answer.status_code == (403 if why else 201)
    assert answer.json().get("message", "").endswith(why.format(name))


def test_a_kubelet_asks_with_a_request(kubelet: httpx.Client) -> None:
    spec = {"request": b64encode(b"x").decode(), "signerName": "kubernetes.io/kubelet-serving", "usages": ["any"]}
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    refused = kubelet.post(path, json={"metadata": {"name": "a"}, "spec": spec})
    assert why_refused(refused) == "unable to parse csr: PEM block type must be CERTIFICATE REQUEST"


def test_a_kubelet_asks_with_a_request_of_a_known_version(kubelet: httpx.Client, name: str) -> None:
    der = x509.load_pem_x509_csr(b64decode(_request(f"system:node:{name}"))).public_bytes(Encoding.DER)
    changed = b64encode(der.replace(b"\x02\x01\x00", b"\x02\x01\x1a", 1)).decode()
    block = f"-----BEGIN CERTIFICATE REQUEST-----\n{changed}\n-----END CERTIFICATE REQUEST-----\n"
    asked = b64encode(block.encode()).decode()
    spec = {"request": asked, "signerName": "kubernetes.io/kubelet-serving", "usages": ["any"]}
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    refused = kubelet.post(path, json={"metadata": {"name": "a"}, "spec": spec})
    assert why_refused(refused).startswith("unable to parse csr: 26")


def test_a_user_of_no_node_is_no_kubelet(strict: httpx.Client, strict_pods: str) -> None:
    body = {"metadata": {"name": "web"}, "spec": SPEC}
    nameless = {"Impersonate-User": "system:node:", "Impersonate-Group": "system:nodes"}
    refused = strict.post(strict_pods, json=body, headers=nameless)
    assert why_refused(refused) == 'could not determine node from user "system:node:"'
    review = strict.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", json={}, headers=nameless)
    assert why_refused(review) == 'could not determine node from user "system:node:"'
    alone = {"Impersonate-User": "system:node:a", "Impersonate-Group": "others"}
    assert strict.post(strict_pods, json=body, headers=alone).status_code == 201


def test_claims_change_by_their_status_alone(kubelet: httpx.Client, strict: httpx.Client, strict_pods: str) -> None:
    claims = strict_pods.replace("pods", "persistentvolumeclaims")
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    body = {"metadata": {"name": "data"}, "spec": spec}
    assert why_refused(kubelet.post(claims, json=body)) == "may only update PVC status"
    strict.post(claims, json=body).raise_for_status()
    capacity = {"status": {"capacity": {"storage": "1Gi"}}}
    assert kubelet.patch(f"{claims}/data/status", json=capacity, headers=MERGE_PATCH).status_code == 200
    phase = kubelet.patch(f"{claims}/data/status", json={"status": {"phase": "Bound"}}, headers=MERGE_PATCH)
    what = "is not allowed to update fields other than status.quantity and status.conditions: "
    assert f"{what}@@ -25,7 +25,7 @@" in why_refused(phase)
