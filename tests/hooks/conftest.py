"""Webhook clients, and certificates for webhooks."""

from collections.abc import AsyncIterator

import pytest

from memkube.hooks.client import HookClient
from memkube.hooks.configuration import HookFailed
from tests.hooks.listening import LOOPBACK, Certificates


class Nowhere:
    """A resolver of Services that knows only one Service, at the address that a test gives."""

    def __init__(self) -> None:
        self.place: tuple[str, int] | None = None

    async def resolve(self, namespace: str, name: str, port: int) -> tuple[str, int]:
        if self.place is None:
            raise HookFailed(f'service "{name}" not found')
        return self.place


@pytest.fixture(scope="session")
def certificates() -> Certificates:
    return Certificates.make()


@pytest.fixture(scope="session")
def certificate(certificates: Certificates) -> bytes:
    """A certificate for servers on loopback."""
    return certificates.issue(LOOPBACK)


@pytest.fixture
def services() -> Nowhere:
    return Nowhere()


@pytest.fixture
async def calling(services: Nowhere) -> AsyncIterator[HookClient]:
    client = HookClient(services)
    yield client
    await client.close()
