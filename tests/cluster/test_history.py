from collections.abc import Iterator

import httpx
import pytest

import memkube

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(controllers="none") as running:
        yield running


@pytest.fixture
def http(kube: memkube.Memkube) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=kube.url, trust_env=False, headers={"user-agent": "my-operator/1"}) as client:
        yield client


def write(http: httpx.Client) -> None:
    http.post(MAPS, json={"metadata": {"name": "a"}, "data": {"colour": "red"}}).raise_for_status()
    http.post(MAPS, json={"metadata": {"name": "a-2"}}).raise_for_status()
    http.put(f"{MAPS}/a", json={"metadata": {"name": "a"}, "data": {"colour": "blue"}}).raise_for_status()
    http.delete(f"{MAPS}/a").raise_for_status()


def test_each_revision_is_told_with_what_was_different(kube: memkube.Memkube, http: httpx.Client) -> None:
    write(http)
    history = kube.history("cm", "a")
    assert [revision.what for revision in history] == ["created", "updated", "deleted"]
    assert [line for line in history[1].diff if line[0] in "+-"] == ["-  colour: red", "+  colour: blue"]
    assert history[0].by == "my-operator (create configmaps)"
    assert history[1].by == "my-operator (update configmaps)"
    assert history[2].document["data"] == {"colour": "blue"}
    assert history.complete_since == 0


def test_what_is_compacted_is_told_to_be(kube: memkube.Memkube, http: httpx.Client) -> None:
    write(http)
    first = kube.history("configmaps", "a")[0].revision
    kept = kube.faults.compact_history()
    with pytest.raises(memkube.Refused, match="too old resource version") as raised:
        kube.history("configmaps", "a", since=first)
    assert raised.value.code == 410
    http.post(MAPS, json={"metadata": {"name": "a"}}).raise_for_status()
    history = kube.history("configmaps", "a")
    assert (len(history), history.complete_since) == (1, kept)


def test_an_object_whose_changes_are_all_compacted_has_no_history(kube: memkube.Memkube) -> None:
    kube.faults.compact_history()
    with pytest.raises(memkube.Refused, match="all changes of namespaces default are compacted") as raised:
        kube.history("namespaces", "default")
    assert raised.value.code == 410


@pytest.mark.parametrize(("resource", "name"), [("configmaps", "never"), ("gadgets", "a")])
def test_what_there_has_not_been_has_no_history(kube: memkube.Memkube, resource: str, name: str) -> None:
    with pytest.raises(memkube.Refused) as raised:
        kube.history(resource, name)
    assert raised.value.code == 404


@pytest.mark.anyio
async def test_it_is_awaited_in_an_event_loop(kube: memkube.Memkube, http: httpx.Client) -> None:
    write(http)
    history = await kube.asynchronous.history("configmaps", "a", since=kube.history("cm", "a")[0].revision)
    assert [revision.what for revision in history] == ["updated", "deleted"]


def test_it_is_told_over_http(kube: memkube.Memkube, http: httpx.Client) -> None:
    write(http)
    answer = http.get("/memkube/v1/history/configmaps/a").json()
    assert [item["what"] for item in answer["items"]] == ["created", "updated", "deleted"]
    assert answer["completeSince"] == 0
    assert http.get("/memkube/v1/history/configmaps/never").status_code == 404
