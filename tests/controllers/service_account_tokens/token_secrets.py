"""Helpers for service accounts and their token Secrets."""

from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from memkube.apis.authentication.v1.tokens.options import TokenOptions
from tests.controllers.cluster import Cluster

NAME, UID = "kubernetes.io/service-account.name", "kubernetes.io/service-account.uid"


def token_options(directory: Path) -> TokenOptions:
    """Return options with a key, because creating an RSA key is slow."""
    key = ec.generate_private_key(ec.SECP256R1())
    path = directory / "signing.pem"
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
    return TokenOptions(signing_key_file=path)


async def create_account(cluster: Cluster, *secrets: str) -> str:
    """Create the account robot, which lists these Secrets, and return its uid."""
    references = [{"name": secret} for secret in secrets]
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}, "secrets": references}
    return (await cluster.create(account)).uid


async def create_secret(cluster: Cluster, name: str = "tok", data: dict[str, str] | None = None, uid: str = "") -> None:
    """Create a token Secret of the account robot, or of one with this uid."""
    metadata = {"name": name, "annotations": {NAME: "robot", **({UID: uid} if uid else {})}}
    encoded = {key: b64encode(value.encode()).decode() for key, value in (data or {}).items()}
    kind = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token"}
    await cluster.create({**kind, "metadata": metadata, "data": encoded})


async def data_of(cluster: Cluster, name: str = "tok") -> dict[str, str]:
    """Return the decoded data of a Secret."""
    stored = await secret(cluster, name)
    return {key: b64decode(value).decode() for key, value in (stored.get("data") or {}).items()}


async def secret(cluster: Cluster, name: str = "tok") -> dict[str, Any]:
    stored = await cluster.get("secrets", name)
    assert stored is not None
    return stored
