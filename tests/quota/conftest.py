import httpx
import pytest

from tests.quota.quotas import Quota


@pytest.fixture
def quota(client: httpx.Client, namespace: str) -> Quota:
    """A ResourceQuota of the test's namespace. The test creates it."""
    return Quota(client, namespace)


@pytest.fixture
def pods(namespace: str) -> str:
    """The URL path of the pods in the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/pods"
