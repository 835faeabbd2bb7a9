"""Writes through one of two servers on the same storage, and reads through the other."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import pytest

from tests.cli.processes import SOON
from tests.replicas.conftest import Replica, Replicas

pytestmark = pytest.mark.long

SERVICES = "/api/v1/namespaces/default/services"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def definition(plural: str, kind: str) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": plural, "kind": kind}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    return {"metadata": {"name": f"{plural}.example.com"}, "spec": spec}


def established(replica: Replica, name: str) -> None:
    revision = replica.get(DEFINITIONS)["metadata"]["resourceVersion"]
    current = replica.get(f"{DEFINITIONS}/{name}")
    changes = (change["object"] for change in replica.changes(DEFINITIONS, revision))
    while ("Established", "True") not in [(c["type"], c["status"]) for c in current["status"].get("conditions") or ()]:
        current = next(changes)


def test_both_are_ready(replicas: Replicas) -> None:
    assert [replica.client.get("/readyz").text for replica in replicas] == ["ok", "ok"]


def test_what_one_has_answered_the_other_knows(replicas: Replicas) -> None:
    one, other = replicas
    for number in range(50):
        made = one.post(CONFIG_MAPS, {"metadata": {"name": f"read-{number}"}})
        assert other.get(f"{CONFIG_MAPS}/read-{number}") == made
        query = {"fieldManager": "test"}
        patch = other.client.patch(
            f"{CONFIG_MAPS}/read-{number}",
            params=query,
            json={"data": {"a": "b"}},
            headers={"content-type": "application/merge-patch+json"},
        ).raise_for_status()
        assert one.get(f"{CONFIG_MAPS}/read-{number}") == patch.json()
        one, other = other, one


def test_what_one_lists_the_other_may_go_on_with(replicas: Replicas) -> None:
    one, other = replicas
    for number in range(6):
        one.post(CONFIG_MAPS, {"metadata": {"name": f"page-{number}", "labels": {"of": "pages"}}})
    first = one.get(f"{CONFIG_MAPS}?limit=4&labelSelector=of%3Dpages")
    rest = other.get(
        f"{CONFIG_MAPS}?limit=4&labelSelector=of%3Dpages&continue={first['metadata']['continue']}",
    )
    assert [item["metadata"]["name"] for item in first["items"] + rest["items"]] == [f"page-{n}" for n in range(6)]
    assert first["metadata"]["resourceVersion"] == rest["metadata"]["resourceVersion"]


def test_watchers_of_both_see_every_change_once_and_in_one_order(replicas: Replicas) -> None:
    revision = replicas.first.get(CONFIG_MAPS)["metadata"]["resourceVersion"]

    def seen(replica: Replica) -> list[tuple[str, str, int]]:
        changes = replica.changes(f"{CONFIG_MAPS}?labelSelector=of%3Dwatches", revision)
        found = ((change["type"], change["object"]["metadata"]) for change in islice(changes, 80))
        return [(type_, metadata["name"], int(metadata["resourceVersion"])) for type_, metadata in found]

    def write(replica: Replica, prefix: str) -> None:
        for number in range(20):
            name = f"{prefix}-{number}"
            replica.post(CONFIG_MAPS, {"metadata": {"name": name, "labels": {"of": "watches"}}})
            replica.client.delete(f"{CONFIG_MAPS}/{name}").raise_for_status()

    with ThreadPoolExecutor(4) as pool:
        watching = [pool.submit(seen, replica) for replica in replicas]
        writing = [pool.submit(write, replica, prefix) for replica, prefix in zip(replicas, "ab", strict=True)]
        for written in writing:
            written.result(SOON)
        first, second = (watched.result(SOON) for watched in watching)
    assert first == second == sorted(set(first), key=lambda change: change[2])


def test_a_kind_that_one_has_established_is_served_by_the_other(replicas: Replicas) -> None:
    one, other = replicas
    for number in range(5):
        plural = f"widget{number}s"
        one.post(DEFINITIONS, definition(plural, f"Widget{number}"))
        established(one, f"{plural}.example.com")
        path = f"/apis/example.com/v1/namespaces/default/{plural}"
        made = other.post(
            path, {"apiVersion": "example.com/v1", "kind": f"Widget{number}", "metadata": {"name": "one"}}
        )
        assert one.get(f"{path}/one") == made
        one, other = other, one


def test_a_token_of_one_is_good_at_the_other(replicas: Replicas) -> None:
    one, other = replicas
    for _ in range(2):
        requested = one.post("/api/v1/namespaces/default/serviceaccounts/default/token", {})
        review = {"spec": {"token": requested["status"]["token"]}}
        assert other.post("/apis/authentication.k8s.io/v1/tokenreviews", review)["status"]["authenticated"]
        one, other = other, one


def test_both_publish_the_same_keys(replicas: Replicas) -> None:
    assert replicas.first.get("/openid/v1/jwks") == replicas.second.get("/openid/v1/jwks")


def test_ports_on_nodes_are_taken_for_both(replicas: Replicas) -> None:
    spec = {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30123}]}
    path = "/api/v1/namespaces/default/services"
    replicas.first.post(path, {"metadata": {"name": "first"}, "spec": spec})
    refused = replicas.second.client.post(path, json={"metadata": {"name": "second"}, "spec": spec})
    assert "provided port is already allocated" in refused.json()["message"]
    replicas.second.client.delete(f"{path}/first").raise_for_status()
    replicas.first.post(path, {"metadata": {"name": "third"}, "spec": spec})


def test_no_port_of_the_nodes_is_given_out_twice(replicas: Replicas) -> None:
    def make(replica: Replica, name: str, port: dict[str, int]) -> Any:
        body = {"metadata": {"name": name}, "spec": {"type": "NodePort", "ports": [{"port": 80, **port}]}}
        return replica.client.post(SERVICES, json=body)

    with ThreadPoolExecutor(2) as pool:
        for number in range(10):
            chosen = {"nodePort": 30_000 + number}
            answers = list(pool.map(make, replicas, (f"a-{number}", f"b-{number}"), (chosen, chosen)))
            assert sorted(answer.status_code for answer in answers) == [201, 422]
            assert "provided port is already allocated" in "".join(answer.text for answer in answers)
        list(pool.map(make, list(replicas) * 10, [f"any-{number}" for number in range(20)], [{}] * 20))
    made = [each for each in replicas.first.get(SERVICES)["items"] if each["metadata"]["name"].startswith(("a", "b-"))]
    ports = [port["nodePort"] for service in made for port in service["spec"]["ports"]]
    assert len(ports) == len(set(ports)) == 30
