import httpx
import pytest

from tests.quota.quotas import Quota


@pytest.fixture
def quota(client: httpx.Client, namespace: str) -> Quota:
    """A quota of the test's namespace, which is yet to be made."""
    return Quota(client, namespace)


@pytest.fixture
def pods(namespace: str) -> str:
    """The address of the pods in the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/pods"
