"""Helpers for CertificateSigningRequests."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from memkube.registry.declarations.request_options import User, WriteContext
from tests.controllers.cluster import Cluster

CLIENT = "kubernetes.io/kube-apiserver-client"
KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
KUBELET_SERVING = "kubernetes.io/kubelet-serving"
DNS, IP = x509.DNSName("n1.example"), x509.IPAddress(ip_address("192.0.2.1"))
EMAIL, URI = x509.RFC822Name("a@example.com"), x509.UniformResourceIdentifier("spiffe://a")


def request_pem(
    name: str = "jane", organizations: Sequence[str] = ("dev",), names: Sequence[x509.GeneralName] = ()
) -> bytes:
    """Return a PKCS#10 request in PEM, whose subject has the common name first."""
    attributes = [(NameOID.COMMON_NAME, name), *((NameOID.ORGANIZATION_NAME, each) for each in organizations)]
    subject = x509.Name([x509.NameAttribute(oid, value) for oid, value in attributes])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(ec.generate_private_key(ec.SECP256R1()), SHA256()).public_bytes(Encoding.PEM)


def node_pem(*names: x509.GeneralName) -> bytes:
    return request_pem("system:node:n1", ["system:nodes"], names)


async def create(
    cluster: Cluster, pem: bytes, signer: str = CLIENT, usages: Sequence[str] = ("client auth",), **spec: Any
) -> None:
    """Create the request r as the user jane, or another `user`, and wait until the controllers have reacted."""
    user = User(spec.pop("user", "jane"), groups=("dev",))
    store = cluster.store("certificatesigningrequests")
    fields = {"request": b64encode(pem).decode(), "signerName": signer, "usages": list(usages), **spec}
    obj = store.resource.model.from_document({"metadata": {"name": "r"}, "spec": fields})
    await store.create(obj, WriteContext(namespace="", manager="user", user=user))
    await cluster.settle()


async def decide(cluster: Cluster, condition: str = "Approved") -> None:
    """Approve or deny the request."""
    conditions = [{"type": condition, "status": "True", "reason": "Test"}]
    await cluster.change(
        "certificatesigningrequests", "r", "", subresource="approval", status={"conditions": conditions}
    )


async def conditions(cluster: Cluster) -> list[tuple[str, str]]:
    """Return types and messages of the conditions, except those that a test has set."""
    stored = await cluster.get("certificatesigningrequests", "r", "")
    assert stored is not None
    found = stored["status"].get("conditions") or []
    return [(each["type"], each["message"]) for each in found if each.get("message")]


async def certificate(cluster: Cluster) -> x509.Certificate | None:
    """Return the issued certificate, or None."""
    stored = await cluster.get("certificatesigningrequests", "r", "")
    assert stored is not None
    issued = stored["status"].get("certificate")
    return x509.load_pem_x509_certificate(b64decode(issued)) if issued else None
