import httpx
import pytest

from tests.admission.resource_quota.quotas import Quota


@pytest.fixture
def quota(client: httpx.Client, namespace: str) -> Quota:
    """A quota of the test's namespace, which is yet to be made."""
    return Quota(client, namespace)
