"""Rows of Tables are written once for each revision; what depends on the time is brought up to date."""

from typing import Any

import httpx

from memkube.server import Server
from memkube.settings import Settings

_TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
_METADATA = {"Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}
_PATH = "/api/v1/namespaces/default/configmaps"


def _rows(client: httpx.Client, **query: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.get(_PATH, params=query, headers=_TABLE).json()["rows"]
    return rows


def test_ages_follow_the_clock() -> None:
    settings = Settings(controllers=(), clock="stepped")
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url) as client:
        client.post(_PATH, json={"metadata": {"name": "a"}}).raise_for_status()
        ages = []
        for seconds in (0, 1, 1, 100, 600):
            server.advance(seconds)
            ages.append(_rows(client)[0]["cells"][2])
    assert ages == ["0s", "1s", "2s", "102s", "11m"]


def test_a_row_follows_its_object(client: httpx.Client, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(path, json={"metadata": {"name": "a"}}).raise_for_status()
    before = client.get(path, headers=_TABLE).json()["rows"][0]
    client.put(f"{path}/a", json={"metadata": {"name": "a"}, "data": {"b": "c"}}).raise_for_status()
    after = client.get(path, headers=_TABLE).json()["rows"][0]
    assert (before["cells"][1], after["cells"][1]) == (0, 1)
    assert before["object"]["metadata"]["resourceVersion"] != after["object"]["metadata"]["resourceVersion"]


def test_one_row_is_shown_in_every_way(client: httpx.Client, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    created = client.post(path, json={"metadata": {"name": "a"}}).json()
    metadata = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": created["metadata"]}
    shown = {"Metadata": metadata, "Object": created, "None": None}
    for include in ("Metadata", "Object", "None", "Metadata"):
        (row,) = client.get(path, params={"includeObject": include}, headers=_TABLE).json()["rows"]
        assert (row["cells"][:2], row["object"]) == (["a", 0], shown[include])
    assert client.get(path, headers=_METADATA).json()["items"] == [metadata]
    older = {"Accept": _TABLE["Accept"].replace("v=v1", "v=v1beta1")}
    (row,) = client.get(path, headers=older).json()["rows"]
    assert row["object"] == {**metadata, "apiVersion": "meta.k8s.io/v1beta1"}


def test_a_long_table_is_whole(client: httpx.Client, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    for number in range(1100):
        client.post(path, json={"metadata": {"name": f"a{number:04}"}}).raise_for_status()
    rows = client.get(path, headers=_TABLE).json()["rows"]
    assert [row["cells"][0] for row in rows] == [f"a{number:04}" for number in range(1100)]
