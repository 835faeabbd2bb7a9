"""What all tests share."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Asynchronous tests (``pytest.mark.anyio``) run on asyncio, as the server does."""
    return "asyncio"
