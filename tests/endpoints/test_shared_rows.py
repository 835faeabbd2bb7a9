"""The rows of Tables are cached for each revision. Cells that depend on the time are computed again."""

from typing import Any

import httpx

from memkube.endpoints.responses.encodings import JoinedRows, Pieces
from memkube.registry.objects.stored import StoredObject
from memkube.server.server import Server
from memkube.server.settings import Settings
from memkube.storage.interface import SharedValues

_TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
_METADATA = {"Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}
_MERGE = {"Content-Type": "application/merge-patch+json"}
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


def test_a_list_that_is_asked_for_again_follows_its_objects(client: httpx.Client, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    names = [f"a{number}" for number in range(9)]
    for name in names:
        client.post(path, json={"metadata": {"name": name}}).raise_for_status()
    same = [client.get(path).content for _ in range(4)]
    assert same == [same[0]] * 4
    client.patch(f"{path}/a4", json={"data": {"b": "c"}}, headers=_MERGE).raise_for_status()
    client.delete(f"{path}/a0").raise_for_status()
    for _ in range(3):
        items = client.get(path).json()["items"]
        assert [item["metadata"]["name"] for item in items] == names[1:]
        assert [item.get("data") for item in items] == [None] * 3 + [{"b": "c"}] + [None] * 4


def test_joined_rows_go_with_the_list_that_they_are_of() -> None:
    rows, items = JoinedRows(), SharedValues([StoredObject({"metadata": {}})] * 9)
    made = [rows.pieces(items, lambda: Pieces(b"{", [b"x"] * 9, b"}")) for _ in range(3)]
    assert [len(pieces.rows) for pieces in made] == [9, 1, 1]
    assert rows.size == len(made[1].rows[0]) == len("},{".join("x" * 9))
    del items
    assert rows.size == 0


def test_so_many_joined_rows_are_kept() -> None:
    rows, half = JoinedRows(), b"x" * 1024 * 1024
    lists = [SharedValues([StoredObject({"metadata": {}})] * 9) for _ in range(3)]
    for items in lists * 2:
        rows.pieces(items, lambda: Pieces(b"", [half] * 9, b""))
    assert 9 * len(half) <= rows.size <= 16 * 1024 * 1024


def test_a_table_that_is_asked_for_again_follows_the_clock_and_its_objects() -> None:
    settings = Settings(controllers=(), clock="stepped")
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url) as client:
        for number in range(9):
            client.post(_PATH, json={"metadata": {"name": f"a{number}"}}).raise_for_status()
        for seconds in (0, 1, 0.5, 0.5, 120):
            server.advance(seconds)
            tables = [_rows(client) for _ in range(4)]
            assert tables == [tables[0]] * 4
            assert [row["cells"][2] for row in tables[0]] == [
                client.get(f"{_PATH}/a0", headers=_TABLE).json()["rows"][0]["cells"][2]
            ] * 9
        client.patch(f"{_PATH}/a4", json={"data": {"b": "c"}}, headers=_MERGE).raise_for_status()
        assert [[row["cells"][1] for row in _rows(client)] for _ in range(3)] == [[0] * 4 + [1] + [0] * 4] * 3


def test_a_table_that_is_kept_is_shown_in_every_way(client: httpx.Client, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    for number in range(9):
        client.post(path, json={"metadata": {"name": f"a{number}"}}).raise_for_status()
    older = {"Accept": _TABLE["Accept"].replace("v=v1", "v=v1beta1")}
    for _ in range(3):
        newer, other = client.get(path, headers=_TABLE).json(), client.get(path, headers=older).json()
        whole = client.get(path, params={"includeObject": "Object"}, headers=_TABLE).json()
        versions = {table["rows"][8]["object"]["apiVersion"] for table in (newer, other, whole)}
        assert versions == {"meta.k8s.io/v1", "meta.k8s.io/v1beta1", "v1"}
