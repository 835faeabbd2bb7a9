from collections.abc import Iterator

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings

_ADDRESS = "/apis/apiregistration.k8s.io/v1/apiservices"
_API_SERVICE = {
    "metadata": {"name": "v1.example.com"},
    "spec": {
        "group": "example.com",
        "version": "v1",
        "groupPriorityMinimum": 100,
        "versionPriority": 10,
        "service": {"namespace": "default", "name": "metrics"},
    },
}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A client of a server that proxies an API version to an extension API server."""
    with Server(Settings(controllers=())).in_thread() as server, httpx.Client(base_url=server.url) as connected:
        made = connected.post(_ADDRESS, json=_API_SERVICE).raise_for_status().json()
        later = {"watch": "1", "resourceVersion": made["metadata"]["resourceVersion"], "timeoutSeconds": "60"}
        with connected.stream("GET", _ADDRESS, params=later) as events:
            assert "ServiceNotFound" in next(events.iter_lines())
        yield connected


@pytest.mark.parametrize("path", ["/apis/example.com/v1", "/apis/example.com/v1/", "/apis/example.com/v1/things/a"])
def test_addresses_of_others_cannot_be_had(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.text) == (503, "service unavailable\n")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


def test_other_versions_of_the_group_are_not_there(client: httpx.Client) -> None:
    assert client.get("/apis/example.com/v2/things").status_code == 404


def test_discovery_names_the_versions_of_others(client: httpx.Client) -> None:
    assert client.get("/apis/example.com").json()["preferredVersion"]["groupVersion"] == "example.com/v1"
    assert client.get("/apis").json()["groups"][-1]["name"] == "example.com"


def test_what_others_serve_is_stale_in_aggregated_discovery(client: httpx.Client) -> None:
    aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    last = client.get("/apis", headers={"Accept": aggregated}).json()["items"][-1]
    assert last == {"metadata": {"name": "example.com"}, "versions": [{"version": "v1", "freshness": "Stale"}]}
