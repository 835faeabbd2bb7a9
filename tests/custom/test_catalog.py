import gc
import json
import weakref
from typing import Any

import httpx
import pytest

from memkube.server.server import Server
from tests.custom.gadgets import gadget, gadgets

GADGETS = "/apis/example.com/v1/namespaces/default/gadgets"
AGGREGATED = {"accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}


def replace(server: Server) -> None:
    server.call(lambda: server.registry.catalog.replace(gadgets(taste={"type": "string"})))


def remove(server: Server) -> None:
    server.call(lambda: server.registry.catalog.remove("example.com", "gadgets"))


@pytest.mark.parametrize("change", [replace, remove])
def test_a_change_of_the_kind_ends_its_watches(client: httpx.Client, server: Server, change: Any) -> None:
    client.post(GADGETS, json=gadget("a")).raise_for_status()
    with client.stream("GET", GADGETS, params={"watch": "1"}) as answer:
        lines = answer.iter_lines()
        assert json.loads(next(lines))["type"] == "ADDED"
        change(server)
        assert list(lines) == []


def test_a_removed_kind_is_not_found(client: httpx.Client, server: Server) -> None:
    remove(server)
    assert client.get("/apis/example.com/v1").status_code == 404
    assert client.get(GADGETS).text == "404 page not found\n"


def test_its_objects_are_there_again_with_the_kind(client: httpx.Client, server: Server) -> None:
    client.post(GADGETS, json=gadget("a")).raise_for_status()
    remove(server)
    server.call(lambda: server.registry.catalog.serve(gadgets()))
    assert client.get(f"{GADGETS}/a").json()["spec"]["size"] == 1


def test_aggregated_discovery_has_another_etag(client: httpx.Client, server: Server) -> None:
    before = client.get("/apis", headers=AGGREGATED)
    remove(server)
    after = client.get("/apis", headers={**AGGREGATED, "if-none-match": before.headers["etag"]})
    assert (after.status_code, "Gadget" in before.text, "Gadget" in after.text) == (200, True, False)


def test_documents_of_other_groups_stay_as_they_are(client: httpx.Client, server: Server) -> None:
    before = client.get("/openapi/v3").json()["paths"]
    replace(server)
    after = client.get("/openapi/v3").json()["paths"]
    assert [path for path in before if before[path] != after[path]] == [
        "apis/example.com/v1",
        "apis/example.com/v1beta1",
    ]


def test_groups_come_in_the_order_of_the_reference(client: httpx.Client) -> None:
    names = [group["name"] for group in client.get("/apis").json()["groups"]]
    assert names.index("apps") < names.index("events.k8s.io") < names.index("coordination.k8s.io")
    assert names[-1] == "example.com"


def test_a_stable_version_is_preferred(client: httpx.Client) -> None:
    group = client.get("/apis/example.com").json()
    assert group["preferredVersion"]["version"] == "v1"
    assert [version["version"] for version in group["versions"]] == ["v1", "v1beta1"]


def test_stores_of_what_is_gone_are_let_go(client: httpx.Client, server: Server) -> None:
    client.get(GADGETS).raise_for_status()
    store = weakref.ref(server.registry.find("example.com", "v1", "gadgets"))
    remove(server)
    client.get("/apis").raise_for_status()
    gc.collect()
    assert store() is None


def test_groups_of_api_services_are_listed_also_if_nothing_serves_them(client: httpx.Client) -> None:
    spec = {"group": "nowhere.example", "version": "v1", "groupPriorityMinimum": 10, "versionPriority": 10}
    body = {"metadata": {"name": "v1.nowhere.example"}, "spec": spec}
    client.post("/apis/apiregistration.k8s.io/v1/apiservices", json=body).raise_for_status()
    client.post("/memkube/v1/settle", json={}).raise_for_status()
    listed = client.get("/apis").json()["groups"][-1]
    version = {"groupVersion": "nowhere.example/v1", "version": "v1"}
    assert listed == {"name": "nowhere.example", "versions": [version], "preferredVersion": version}
    assert client.get("/apis/nowhere.example").json()["versions"] == [version]
    assert client.get("/apis/nowhere.example/v1").status_code == 404
    assert "nowhere.example" not in client.get("/apis", headers=AGGREGATED).text
