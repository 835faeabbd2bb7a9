from typing import Any

import httpx
import pytest

from memkube.server.server import Server

_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def _resources(client: httpx.Client, path: str) -> list[dict[str, Any]]:
    groups = client.get(path, headers={"Accept": _AGGREGATED}).json()["items"]
    return [resource for group in groups for version in group["versions"] for resource in version["resources"]]


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_aggregated_discovery_says_so_in_its_content_type(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"Accept": f"{_AGGREGATED},application/json"})
    assert answer.headers["content-type"] == _AGGREGATED
    assert answer.json()["kind"] == "APIGroupDiscoveryList"


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_aggregated_discovery_is_not_sent_again_where_nothing_has_changed(client: httpx.Client, path: str) -> None:
    etag = client.get(path, headers={"Accept": _AGGREGATED}).headers["etag"]
    again = client.get(path, headers={"Accept": _AGGREGATED, "If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)


def test_another_etag_gets_the_document(client: httpx.Client) -> None:
    answer = client.get("/apis", headers={"Accept": _AGGREGATED, "If-None-Match": '"0"'})
    assert answer.status_code == 200


def test_clients_that_know_no_aggregation_get_the_old_documents(client: httpx.Client) -> None:
    assert client.get("/api").json()["kind"] == "APIVersions"
    assert client.get("/apis").json()["kind"] == "APIGroupList"


def test_both_ways_of_discovery_tell_the_same(client: httpx.Client) -> None:
    old = client.get("/api/v1").json()["resources"]
    names = {resource["name"] for resource in old if "/" not in resource["name"]}
    assert names == {resource["resource"] for resource in _resources(client, "/api")}


def test_every_resource_that_is_told_of_can_be_listed(client: httpx.Client) -> None:
    for group in client.get("/apis").json()["groups"]:
        for version in group["versions"]:
            root = f"/apis/{version['groupVersion']}"
            for resource in client.get(root).json()["resources"]:
                if "list" in resource["verbs"]:
                    assert client.get(f"{root}/{resource['name']}").json()["kind"] == f"{resource['kind']}List"


@pytest.mark.parametrize("path", ["/api/v2", "/apis/nobody.example.com", "/apis/policy/v7", "/apis/apps/v0"])
def test_what_is_not_served_is_not_found(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "accept", "code", "start"),
    [
        ("/api", "application/*", 406, "406: Not Acceptable"),
        ("/api", "text/plain", 406, "406: Not Acceptable"),
        ("/apis/policy/v1", "application/*", 406, "406: Not Acceptable"),
        ("/apis/policy", "application/*", 200, ""),
        ("/apis/policy", "text/plain", 406, "only the following media types are accepted"),
        ("/apis", "text/plain", 406, "only the following media types are accepted"),
    ],
)
def test_ranges_of_media_types_are_taken_where_groups_are_told_of(
    client: httpx.Client, path: str, accept: str, code: int, start: str
) -> None:
    answer = client.get(path, headers={"Accept": accept})
    assert (answer.status_code, answer.json().get("message", "").startswith(start)) == (code, True)


def test_a_slash_may_end_the_address_of_a_version(client: httpx.Client) -> None:
    assert client.get("/api/v1/").json() == client.get("/api/v1").json()
    assert client.post("/api/v1/").status_code == 405


def test_the_core_group_says_where_its_server_is(client: httpx.Client, server: Server) -> None:
    (address,) = client.get("/api").json()["serverAddressByClientCIDRs"]
    assert address == {"clientCIDR": "0.0.0.0/0", "serverAddress": f"{server.host}:{server.port}"}


def test_mutating_admission_policies_are_hashed_in_the_version_that_the_reference_stores(client: httpx.Client) -> None:
    resources = client.get("/apis/admissionregistration.k8s.io/v1").json()["resources"]
    hashes = {resource["name"]: resource.get("storageVersionHash") for resource in resources}
    assert hashes["mutatingadmissionpolicies"] == "LYmCf+UMVdg="
    assert hashes["mutatingadmissionpolicybindings"] == "90V5FRZZ3Zg="
    assert hashes["validatingadmissionpolicies"] == "6OxvlMmQ6is="
