"""A cluster that issues service account tokens, for the tests of this folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.authentication.v1.answers import review_token
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.apis.authentication.v1.tokens.request import request_token
from memkube.apis.authentication.v1.types import TokenRequest, TokenReview
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.registry import Registry
from memkube.server.app import create_core
from memkube.server.bootstrap.standing import create_system_namespaces
from memkube.server.settings import Settings
from memkube.time.clock import SteppedClock


def new_key() -> bytes:
    """Return a new private key in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())


@dataclass
class Cluster:
    """A registry on a stepped clock, with the service account `robot` in the namespace `default`."""

    registry: Registry
    clock: SteppedClock

    async def create(self, plural: str, **fields: Any) -> Document:
        """Create an object, and return its metadata."""
        store = self.registry.find("", "v1", plural)
        obj = store.resource.model.from_document(fields)
        namespace = "" if plural == "nodes" else "default"
        metadata: Document = (await store.create(obj, WriteContext(namespace))).document["metadata"]
        return metadata

    async def delete(self, plural: str, name: str) -> None:
        """Delete an object without a grace period."""
        namespace = "" if plural == "nodes" else "default"
        store = self.registry.find("", "v1", plural)
        await store.delete(name, DeleteOptions(gracePeriodSeconds=0), WriteContext(namespace))

    async def request(self, context: WriteContext | None = None, **fields: Any) -> Document:
        """Create a TokenRequest for the service account, and return the response."""
        obj = TokenRequest.from_document(fields)
        answer = await request_token(self.registry, "robot", obj, context or WriteContext("default"))
        return answer.document

    async def token(self, **spec: Any) -> str:
        """Return a new token of the service account."""
        token: str = (await self.request(spec=spec))["status"]["token"]
        return token

    async def review(self, token: str, *audiences: str) -> Document:
        """Return the status of a TokenReview of this token."""
        obj = TokenReview.from_document({"spec": {"token": token, "audiences": list(audiences)}})
        status: Document = (await review_token(self.registry, "", obj, WriteContext())).document["status"]
        return status


async def cluster_with(options: TokenOptions) -> Cluster:
    """Return a cluster with these token options."""
    registry = create_core(Settings(clock="stepped", controllers=(), tokens=options)).parts.registry
    assert isinstance(registry.clock, SteppedClock)
    await create_system_namespaces(registry)
    cluster = Cluster(registry, registry.clock)
    await cluster.create("serviceaccounts", metadata={"name": "robot"})
    return cluster


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A file with a new private key."""
    path = tmp_path / "signing.pem"
    path.write_bytes(new_key())
    return path


@pytest.fixture
async def cluster(key_file: Path) -> Cluster:
    """A cluster with a given signing key, because generating one takes longer."""
    return await cluster_with(TokenOptions(signing_key_file=key_file))
