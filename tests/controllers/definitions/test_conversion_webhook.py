import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.controllers.definitions.converter import ADDRESS, GROUP, Converter, definition, square
from tests.endpoints.aggregation.extension import Extension, listening

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_V1, _V2 = ADDRESS.format("v1"), ADDRESS.format("v2")
_SERVICE = {"namespace": "default", "name": "things", "path": "/convert", "port": 8443}


@pytest.fixture(scope="module")
def converter() -> Converter:
    return Converter()


@pytest.fixture(scope="module")
def listener(converter: Converter, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Extension]:
    with listening(converter, tmp_path_factory.mktemp("converter")) as running:
        yield running


@pytest.fixture
def client(listener: Extension, converter: Converter) -> Iterator[httpx.Client]:
    """A client of a server with the kind, whose conversion webhook replaces a Service that does not exist."""
    converter.asked, converter.changes = [], {}
    with (
        Server(Settings(controllers=())).in_thread() as running,
        httpx.Client(base_url=running.url, trust_env=False) as client,
    ):
        path = "/memkube/v1/services/{namespace}/{name}/{port}".format(**_SERVICE)
        client.put(path, json={"host": "127.0.0.1", "port": listener.port}).raise_for_status()
        body = definition({"service": _SERVICE, "caBundle": listener.ca_bundle})
        client.post(_DEFINITIONS, json=body).raise_for_status()
        _established(client)
        yield client


def _established(client: httpx.Client) -> None:
    query = {"watch": "1", "fieldSelector": f"metadata.name=squares.{GROUP}", "timeoutSeconds": "60"}
    with client.stream("GET", _DEFINITIONS, params=query) as response:
        for line in response.iter_lines():
            conditions = json.loads(line)["object"]["status"]["conditions"] or ()
            if any((c["type"], c["status"]) == ("Established", "True") for c in conditions):
                break
    while client.get(_V1).status_code == 404:
        pass


def _specs(client: httpx.Client, address: str) -> list[dict[str, Any]]:
    return [item["spec"] for item in client.get(address).json()["items"]]


def test_a_webhook_behind_a_service_is_asked_at_its_path(client: httpx.Client, converter: Converter) -> None:
    assert client.post(_V2, json=square("a", "v2", width=3)).json()["spec"] == {"width": 3}
    assert client.get(f"{_V1}/a").json()["spec"] == {"size": 3}
    assert {asked["path"] for asked in converter.asked} == {"/convert"}


def test_objects_are_sent_as_they_are_stored(client: httpx.Client, converter: Converter) -> None:
    client.post(_V1, json=square("a", size=3)).raise_for_status()
    client.get(f"{_V2}/a").raise_for_status()
    [asked] = converter.asked
    assert (asked["apiVersion"], asked["desiredAPIVersion"]) == ("apiextensions.k8s.io/v1", f"{GROUP}/v2")
    [sent] = asked["objects"]
    assert sent["spec"] == {"size": 3}
    assert "resourceVersion" not in sent["metadata"]


def test_a_list_is_asked_for_a_hundred_objects_at_a_time(client: httpx.Client, converter: Converter) -> None:
    for number in range(101):
        client.post(_V1, json=square(f"a{number:03}", size=number)).raise_for_status()
    assert _specs(client, _V2) == [{"width": number} for number in range(101)]
    assert [len(asked["objects"]) for asked in converter.asked] == [100, 1]


def test_the_stored_version_needs_no_webhook(client: httpx.Client, converter: Converter) -> None:
    client.post(_V1, json=square("a", size=3)).raise_for_status()
    assert _specs(client, _V1) == [{"size": 3}]
    assert not converter.asked


def test_a_list_with_one_bad_answer_is_refused_as_one_object_would_be(
    client: httpx.Client, converter: Converter
) -> None:
    for name in ("a", "b"):
        client.post(_V1, json=square(name, size=3)).raise_for_status()
    converter.changes = {"convertedObjects": []}
    answer = client.get(_V2)
    assert answer.status_code == 500
    kind = f"{GROUP}/v1, Kind=Square"
    assert answer.json()["message"] == f"conversion webhook for {kind} returned 0 objects, expected 1"


def test_what_is_read_is_asked_for_anew(client: httpx.Client, converter: Converter) -> None:
    client.post(_V1, json=square("a", size=3)).raise_for_status()
    client.get(f"{_V2}/a").raise_for_status()
    converter.changes = {"result": {"status": "Failure", "message": "not today"}}
    message = client.get(f"{_V2}/a").json()["message"]
    assert message == f"conversion webhook for {GROUP}/v1, Kind=Square failed: not today"


def test_a_watch_shows_the_other_version(client: httpx.Client) -> None:
    created = client.post(_V1, json=square("a", size=3)).json()
    for name in ("b", "c"):
        client.post(_V1, json=square(name, size=4)).raise_for_status()
    query = {"watch": "1", "resourceVersion": created["metadata"]["resourceVersion"], "timeoutSeconds": "60"}
    with client.stream("GET", _V2, params=query) as response:
        lines = response.iter_lines()
        seen = [json.loads(next(lines))["object"] for _ in range(2)]
    assert [(item["apiVersion"], item["spec"]) for item in seen] == [(f"{GROUP}/v2", {"width": 4})] * 2


def test_a_dry_run_answers_what_would_be_read(client: httpx.Client, converter: Converter) -> None:
    answer = client.post(_V2, params={"dryRun": "All"}, json=square("a", "v2", width=3)).json()
    assert answer["spec"] == {"width": 3}
    assert [asked["desiredAPIVersion"] for asked in converter.asked] == [f"{GROUP}/v1", f"{GROUP}/v2"]


def test_appliers_of_other_versions_are_asked_about(client: httpx.Client) -> None:
    def apply(version: str, manager: str, **spec: int) -> httpx.Response:
        address, headers = f"{ADDRESS.format(version)}/a", {"Content-Type": "application/apply-patch+yaml"}
        body = json.dumps(square("a", version, **spec))
        return client.patch(address, params={"fieldManager": manager}, content=body, headers=headers)

    apply("v1", "one", size=1).raise_for_status()
    refused = apply("v2", "two", width=2).json()
    assert refused["message"] == 'Apply failed with 1 conflict: conflict with "one": .spec.size'
    moved = apply("v2", "one", width=2).json()
    assert (moved["spec"], len(moved["metadata"]["managedFields"])) == ({"width": 2}, 1)


def test_nobody_else_waits_for_a_webhook(client: httpx.Client, converter: Converter) -> None:
    for name in ("a", "b"):
        client.post(_V1, json=square(name, size=3)).raise_for_status()
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda _: client.get(f"{_V2}/a").status_code, range(20)))
    assert answers == [200] * 20
    assert len(converter.asked) == 20
