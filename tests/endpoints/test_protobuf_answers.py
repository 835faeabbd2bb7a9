"""Protobuf responses over HTTP. The encoding of each kind is tested with the kinds."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.apimachinery.protobuf.independent_reader import META, opened, pruned, read, shown

PROTOBUF = "application/vnd.kubernetes.protobuf"
STREAM = f"{PROTOBUF};stream=watch"
METADATA = f"{PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = f"{PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io"
TABLE = f"{PROTOBUF};as=Table;g=meta.k8s.io;v=v1"
AGGREGATED = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
CORE = "k8s.io/api/core/v1"
ACCEPT = {"accept": PROTOBUF}


def content_of(body: bytes, path: str = META) -> dict[str, Any]:
    """Return an object of a Go package, with its kind and apiVersion, as JSON data."""
    api_version, kind, message = opened(body)
    return {"kind": kind, "apiVersion": api_version, **shown(read(path, kind, message))}


def events_of(frames: bytes, path: str = CORE) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the types and objects of watch events, which are framed with their lengths."""
    while frames:
        size = int.from_bytes(frames[:4], "big")
        yield event_of(frames[4 : 4 + size], path)
        frames = frames[4 + size :]


def event_of(message: bytes, path: str = CORE) -> tuple[str, dict[str, Any]]:
    event: Any = read(META, "WatchEvent", message)
    return event.Type, content_of(event.Object.Raw, path)


@pytest.fixture
def config_maps(client: httpx.Client, namespace: str) -> str:
    """The URL path of the ConfigMaps in a namespace with one ConfigMap, ``a``."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(path, json={"metadata": {"name": "a"}, "data": {"b": "c"}}).raise_for_status()
    return path


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_every_verb_answers_what_it_answers_in_json(client: httpx.Client, config_maps: str, method: str) -> None:
    body: dict[str, Any] = {} if method in ("GET", "DELETE") else {"json": {"metadata": {"name": "a"}}}
    json = {"content-type": "application/merge-patch+json"} if method == "PATCH" else {}
    path = f"{config_maps}/a?dryRun=All" if method == "DELETE" else f"{config_maps}/a"
    answer = client.request(method, path, headers={**ACCEPT, **json}, **body)
    expected = client.request(method, path, headers=json, **body).json()
    assert (answer.status_code, answer.headers["content-type"]) == (200, PROTOBUF)
    assert content_of(answer.content, META if method == "DELETE" else CORE) == pruned(expected)


def test_a_refusal_is_a_status_in_protobuf(client: httpx.Client, config_maps: str) -> None:
    answer = client.get(f"{config_maps}/none", headers=ACCEPT)
    assert (answer.status_code, answer.headers["content-type"]) == (404, PROTOBUF)
    assert content_of(answer.content) == pruned(client.get(f"{config_maps}/none").json())


def test_an_action_is_answered_with_a_status_in_protobuf(client: httpx.Client, namespace: str) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"containers": [{"name": "c", "image": "nginx"}]}
    client.post(pods, json={"metadata": {"name": "a"}, "spec": spec}).raise_for_status()
    answer = client.post(
        f"{pods}/a/binding", json={"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}}, headers=ACCEPT
    )
    assert answer.status_code == 201
    assert content_of(answer.content) == {"kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201}


def test_a_question_is_answered_in_protobuf(client: httpx.Client) -> None:
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    body = {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
    answer = client.post(path, json=body, headers=ACCEPT)
    review = content_of(answer.content, "k8s.io/api/authorization/v1")
    assert (review["kind"], review["status"]["allowed"]) == ("SelfSubjectAccessReview", True)


def test_what_a_subresource_shows_is_had_in_protobuf(client: httpx.Client, namespace: str) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
    selector, labels = {"matchLabels": {"a": "b"}}, {"labels": {"a": "b"}}
    template = {"metadata": labels, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"selector": selector, "template": template, "replicas": 3}
    client.post(path, json={"metadata": {"name": "a"}, "spec": spec}).raise_for_status()
    scale = content_of(client.get(f"{path}/a/scale", headers=ACCEPT).content, "k8s.io/api/autoscaling/v1")
    assert (scale["kind"], scale["spec"]) == ("Scale", {"replicas": 3})


def test_a_table_cannot_be_had_in_protobuf(client: httpx.Client, config_maps: str) -> None:
    answer = client.get(config_maps, headers={"accept": TABLE})
    assert (answer.status_code, answer.headers["content-type"]) == (406, "application/json")
    assert answer.json()["message"].startswith("only the following media types are accepted: application/json, ")


def test_the_clause_of_a_table_gives_way_to_the_next(client: httpx.Client, config_maps: str) -> None:
    answer = client.get(config_maps, headers={"accept": f"{TABLE},{PROTOBUF}"})
    assert content_of(answer.content, CORE)["kind"] == "ConfigMapList"


@pytest.mark.parametrize("accept", ["application/json", f"{PROTOBUF};q=0.5,application/json", f"*/*,{PROTOBUF};q=0.1"])
def test_better_clauses_come_first(client: httpx.Client, config_maps: str, accept: str) -> None:
    expected = "application/json" if "json" in accept else PROTOBUF
    assert client.get(config_maps, headers={"accept": accept}).headers["content-type"] == expected


def test_metadata_alone_are_had_in_protobuf(client: httpx.Client, config_maps: str) -> None:
    expected = client.get(f"{config_maps}/a").json()["metadata"]
    partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": expected}
    assert content_of(client.get(f"{config_maps}/a", headers={"accept": METADATA}).content) == pruned(partial)


def test_a_list_of_metadata_has_other_numbers_in_the_old_version(client: httpx.Client, config_maps: str) -> None:
    new, old = (
        opened(client.get(config_maps, headers={"accept": f"{METADATA_LIST};v={version}"}).content)
        for version in ("v1", "v1beta1")
    )
    assert (new[0], old[0]) == ("meta.k8s.io/v1", "meta.k8s.io/v1beta1")
    assert (new[2][0] >> 3, old[2][0] >> 3) == (1, 1)
    size = new[2][1]
    meta, items = new[2][: size + 2], new[2][size + 2 :]
    assert old[2] == b"\x0a" + items[1:] + b"\x12" + meta[1:]


def test_a_watch_is_frames_with_their_lengths(client: httpx.Client, config_maps: str) -> None:
    query = "?watch=1&timeoutSeconds=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan"
    answer = client.get(f"{config_maps}{query}", headers=ACCEPT)
    assert answer.headers["content-type"] == STREAM
    (added, first), (marked, bookmark) = events_of(answer.content)
    assert (added, first) == ("ADDED", pruned(client.get(f"{config_maps}/a").json()))
    assert (marked, bookmark["metadata"]["annotations"]) == ("BOOKMARK", {"k8s.io/initial-events-end": "true"})


def test_watches_of_metadata_and_of_objects_are_written_apart(client: httpx.Client, config_maps: str) -> None:
    path = f"{config_maps}?watch=1&timeoutSeconds=1"
    kinds = []
    for accept, package in ((METADATA, META), (PROTOBUF, CORE), (METADATA, META)):
        ((_, found),) = events_of(client.get(path, headers={"accept": accept}).content, package)
        kinds.append(found["kind"])
    assert kinds == ["PartialObjectMetadata", "ConfigMap", "PartialObjectMetadata"]


def test_a_watch_whose_history_is_lost_ends_with_a_status() -> None:
    settings = Settings(controllers=(), history=1)
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url) as client:
        for name in ("a", "b", "c"):
            client.post("/api/v1/namespaces/default/configmaps", json={"metadata": {"name": name}}).raise_for_status()
        answer = client.get("/api/v1/configmaps?watch=1&resourceVersion=1", headers=ACCEPT)
    ((kind, status),) = events_of(answer.content, META)
    assert (kind, status["kind"], status["code"]) == ("ERROR", "Status", 410)


def test_a_websocket_gets_a_message_a_frame(server: Server, client: httpx.Client, config_maps: str) -> None:
    client.post(config_maps, json={"metadata": {"name": "b"}}).raise_for_status()
    url = f"{server.url.replace('http', 'ws', 1)}{config_maps}?watch=1"
    with connect(url, additional_headers=ACCEPT, proxy=None, open_timeout=60) as socket:
        events = [event_of(message) for message in (socket.recv(), socket.recv()) if isinstance(message, bytes)]
    assert [(kind, found["metadata"]["name"]) for kind, found in events] == [("ADDED", "a"), ("ADDED", "b")]


def test_yaml_is_no_stream(client: httpx.Client, config_maps: str) -> None:
    answer = client.get(f"{config_maps}/a", headers={"accept": f"application/yaml;stream=watch,{STREAM}"})
    assert answer.headers["content-type"] == PROTOBUF


@pytest.mark.parametrize("path", ["/api", "/apis", "/apis/apps", "/api/v1", "/apis/apps/v1"])
def test_discovery_is_had_in_protobuf(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers=ACCEPT)
    expected = client.get(path).json()
    assert answer.headers["content-type"] == PROTOBUF
    assert content_of(answer.content) == {"apiVersion": "", **pruned(expected)}


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_aggregated_discovery_is_had_in_protobuf(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"accept": f"{PROTOBUF};{AGGREGATED}"})
    expected = client.get(path, headers={"accept": f"application/json;{AGGREGATED}"})
    assert answer.headers["content-type"] == f"{PROTOBUF};{AGGREGATED}"
    assert answer.headers["etag"] == expected.headers["etag"]
    assert content_of(answer.content, "k8s.io/api/apidiscovery/v2") == pruned(expected.json())


def test_whoever_names_aggregated_discovery_at_all_gets_it(client: httpx.Client) -> None:
    answer = client.get("/apis", headers={"accept": f"application/json,application/json;q=0.1;{AGGREGATED}"})
    assert answer.json()["kind"] == "APIGroupDiscoveryList"
