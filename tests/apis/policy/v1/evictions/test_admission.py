"""Order of the checks of an Eviction and of validating admission."""

from collections.abc import Iterator

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
PODS = "/api/v1/namespaces/default/pods"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A client of a server whose admission policy rejects all evictions."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods/eviction"], "operations": ["CREATE"]}
    policy = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false"}]}
    binding = {"policyName": "none", "validationActions": ["Deny"]}
    with Server(Settings(controllers=())).in_thread() as server, httpx.Client(base_url=server.url) as client:
        for plural, spec in (("validatingadmissionpolicies", policy), ("validatingadmissionpolicybindings", binding)):
            client.post(f"{ADMISSION}/{plural}", json={"metadata": {"name": "none"}, "spec": spec}).raise_for_status()
        yield client


@pytest.mark.parametrize(("name", "code"), [("other", 400), ("web", 422)])
def test_an_eviction_is_checked_before_validating_admission(client: httpx.Client, name: str, code: int) -> None:
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    assert client.post(f"{PODS}/web/eviction", json=eviction).status_code == code
