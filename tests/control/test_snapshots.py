import uuid

import httpx
import pytest

from memkube.control import snapshots
from memkube.server.server import Server
from memkube.server.settings import Settings, StorageOptions
from memkube.snapshots.files import parse_snapshot
from tests.etcd_server import EtcdServer, needs_etcd

_MAPS = "/api/v1/namespaces/default/configmaps"
_KEPT = "/memkube/v1/snapshots"


def names(client: httpx.Client) -> list[str]:
    items = client.get(_MAPS).json()["items"]
    return [item["metadata"]["name"] for item in items if item["metadata"]["name"] != "kube-root-ca.crt"]


def create(client: httpx.Client, name: str) -> None:
    client.post(_MAPS, json={"metadata": {"name": name}}).raise_for_status()


@pytest.mark.restores
def test_a_snapshot_under_a_name_is_restored_as_often_as_one_likes(stepped: httpx.Client) -> None:
    create(stepped, "before")
    told = stepped.put(f"{_KEPT}/first").json()
    assert told["name"] == "first"
    assert told["objects"] > 1
    for _ in range(2):
        create(stepped, "after")
        assert stepped.post(f"{_KEPT}/first/restore").json() == told
        assert names(stepped) == ["before"]
    assert stepped.get(_KEPT).json() == {"items": [told]}
    assert stepped.delete(f"{_KEPT}/first").status_code == 204
    assert stepped.get(f"{_KEPT}/first").json()["message"] == 'snapshots "first" not found'


@pytest.mark.restores
def test_the_present_state_is_a_file_that_can_be_put_back(stepped: httpx.Client) -> None:
    create(stepped, "before")
    answer = stepped.get("/memkube/v1/snapshot")
    assert answer.headers["content-type"] == "application/jsonl"
    assert "/core/configmaps/default/before" in parse_snapshot(answer.content.splitlines(keepends=True)).objects.objects
    create(stepped, "after")
    stepped.put("/memkube/v1/snapshot", content=answer.content).raise_for_status()
    assert names(stepped) == ["before"]


def test_what_is_no_snapshot_is_refused_and_changes_nothing(stepped: httpx.Client) -> None:
    create(stepped, "before")
    content = stepped.get("/memkube/v1/snapshot").content
    for damaged, why in [
        (content[:-30], "cut off"),
        (content.replace(b'"ConfigMap"', b'"ConfigMop"'), "no kind ConfigMop of v1 is known"),
        (b"", "the file is empty"),
    ]:
        answer = stepped.put("/memkube/v1/snapshot", content=damaged)
        assert (answer.status_code, answer.json()["reason"]) == (422, "Invalid")
        assert why in answer.json()["message"]
    assert names(stepped) == ["before"]


_POD = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}


@pytest.mark.restores
@pytest.mark.parametrize(
    ("state", "damaged", "why"),
    [
        (b'"phase":"Running"', b'"phase":"Running","failure":3', "the saved state of pod web is invalid"),
        (b'"identities":', b'"identity":', "the snapshot contains invalid data: KeyError: 'identities'"),
        (b'"heartbeats":{', b'"heartbeats":{"seen":3},"others":{', "the snapshot contains invalid data"),
    ],
)
def test_a_world_that_makes_no_sense_is_refused_and_changes_nothing(
    stepped: httpx.Client, state: bytes, damaged: bytes, why: str
) -> None:
    stepped.post("/api/v1/namespaces/default/pods", json=_POD).raise_for_status()
    stepped.post("/memkube/v1/clock/advance", json={"seconds": 5})
    before = stepped.get("/memkube/v1/snapshot").content
    answer = stepped.put("/memkube/v1/snapshot", content=before.replace(state, damaged))
    assert (answer.status_code, why in answer.json()["message"]) == (422, True), answer.json()
    stepped.post("/memkube/v1/clock/advance", json={"seconds": 100}).raise_for_status()
    assert stepped.get("/api/v1/namespaces/default/pods/web").json()["status"]["phase"] == "Running"
    assert stepped.put("/memkube/v1/snapshot", content=before).status_code == 200
    assert stepped.get("/memkube/v1/snapshot").content.splitlines()[1:] == before.splitlines()[1:]


def test_an_upload_that_is_too_large_is_refused(stepped: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MOST_BYTES", 1000)
    content = stepped.get("/memkube/v1/snapshot").content
    assert stepped.put("/memkube/v1/snapshot", content=content).status_code == 413


def test_so_many_snapshots_are_kept(stepped: httpx.Client) -> None:
    for number in range(snapshots.MOST_KEPT):
        stepped.put(f"{_KEPT}/s{number}").raise_for_status()
    assert stepped.put(f"{_KEPT}/more").json()["message"] == "the server keeps the maximum of 100 snapshots already"
    assert stepped.put(f"{_KEPT}/s1").status_code == 200


@pytest.mark.restores
def test_writes_that_are_under_way_are_in_neither_state(stepped: httpx.Client) -> None:
    """A watch from before the restore gets 410."""
    saved = stepped.get("/memkube/v1/snapshot").content
    revision = stepped.get(_MAPS).json()["metadata"]["resourceVersion"]
    create(stepped, "goes")
    stepped.put("/memkube/v1/snapshot", content=saved).raise_for_status()
    with stepped.stream("GET", f"{_MAPS}?watch=true&resourceVersion={revision}") as events:
        assert '"code":410' in next(events.iter_lines())


@needs_etcd
def test_an_etcd_is_not_restored(etcd_server: EtcdServer) -> None:
    place = StorageOptions.of(f"etcd:{etcd_server.url}", etcd={"prefix": f"/{uuid.uuid4().hex}"})
    with (
        Server(Settings(controllers=(), storage=place)).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client,
    ):
        create(client, "before")
        answer = client.put("/memkube/v1/snapshot", content=client.get("/memkube/v1/snapshot").content)
        assert (answer.status_code, answer.json()["kind"]) == (501, "Status")
        assert names(client) == ["before"]
