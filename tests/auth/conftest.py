from collections.abc import Iterator

import pytest

from tests.auth.users import Users, authorized_server


@pytest.fixture(scope="session")
def users() -> Iterator[Users]:
    """Clients of a server with RBAC."""
    with authorized_server("RBAC") as clients:
        yield clients
