"""Invalid UTF-8 in URLs and headers. As in Kubernetes, the bytes are kept until JSON is written."""

import httpx
import pytest

_CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
_JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("method", ["GET", "DELETE", "PATCH"])
def test_a_missing_object_is_named_by_its_bytes(client: httpx.Client, method: str) -> None:
    headers = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
    answer = client.request(method, f"{_CONFIG_MAPS}/%ff%c3%28", headers=headers, content="{}")
    assert answer.status_code == 404
    assert answer.json()["message"] == r'configmaps "\xff\xc3(" not found'
    assert answer.json()["details"]["name"] == "��("


@pytest.mark.parametrize("accept", ["application/yaml", "application/vnd.kubernetes.protobuf"])
def test_a_missing_object_is_named_in_other_media_types(client: httpx.Client, accept: str) -> None:
    answer = client.get(f"{_CONFIG_MAPS}/%ff", headers={"Accept": accept})
    assert answer.status_code == 404
    assert rb"\xff" in answer.content


def test_another_name_in_the_body_is_compared_with_the_bytes(client: httpx.Client) -> None:
    answer = client.put(f"{_CONFIG_MAPS}/%ff", headers=_JSON, content='{"metadata": {"name": "�"}}')
    assert answer.json()["message"] == "the name of the object (�) does not match the name on the URL (�)"


def test_a_missing_namespace_is_named_by_its_bytes(client: httpx.Client) -> None:
    answer = client.post("/api/v1/namespaces/%ff/configmaps", json={"metadata": {"name": "a"}})
    assert answer.json()["message"] == r'namespaces "\xff" not found'


def test_a_label_selector_is_quoted_with_its_bytes(client: httpx.Client) -> None:
    answer = client.get(f"{_CONFIG_MAPS}?labelSelector=a%3D%ff")
    assert r'values[0][a]: Invalid value: "\xff": a valid label must be' in answer.json()["message"]


def test_a_number_is_quoted_with_its_bytes(client: httpx.Client) -> None:
    answer = client.get(f"{_CONFIG_MAPS}?limit=%ff")
    assert answer.json()["message"] == r'strconv.ParseInt: parsing "\xff": invalid syntax'


def test_an_invalid_byte_in_a_field_manager_is_printable(client: httpx.Client) -> None:
    body = {"metadata": {"name": "a"}, "data": {"a": "b"}}
    created = client.post(f"{_CONFIG_MAPS}?fieldManager=a%ff&dryRun=All", json=body)
    assert [entry["manager"] for entry in created.json()["metadata"]["managedFields"]] == ["a�"]


def test_a_field_manager_is_measured_in_bytes(client: httpx.Client) -> None:
    answer = client.post(f"{_CONFIG_MAPS}?fieldManager={'%ff' * 128}%00", json={"metadata": {"name": "a"}})
    [too_long, unprintable] = answer.json()["details"]["causes"]
    assert too_long["message"] == "Too long: may not be more than 128 bytes"
    assert unprintable["message"].endswith('\\x00": invalid character U+0000 (at position 128)')


def test_the_bytes_of_a_query_are_decoded_together(client: httpx.Client) -> None:
    answer = client.get(f"{_CONFIG_MAPS}?labelSelector=a%3D%c3%a9")
    assert 'Invalid value: "é"' in answer.json()["message"]


@pytest.mark.parametrize(("agent", "manager"), [(b"caf\xc3\xa9/1", "café"), (b"caf\xff/1", "caf�")])
def test_a_user_agent_is_utf8(client: httpx.Client, agent: bytes, manager: str) -> None:
    body = {"metadata": {"name": "a"}, "data": {"a": "b"}}
    created = client.post(f"{_CONFIG_MAPS}?dryRun=All", json=body, headers=[(b"User-Agent", agent)])
    assert [entry["manager"] for entry in created.json()["metadata"]["managedFields"]] == [manager]


def test_an_impersonated_user_has_replacement_characters_in_answers(client: httpx.Client) -> None:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    answer = client.post(path, json=review, headers=[(b"Impersonate-User", b"\xffjane")])
    assert answer.json()["status"]["userInfo"]["username"] == "�jane"


def test_the_request_log_shows_such_requests(client: httpx.Client) -> None:
    client.get(f"{_CONFIG_MAPS}/%ff")
    logged = client.get("/memkube/v1/requests", params={"resource": "configmaps"})
    assert logged.status_code == 200
    assert f"{_CONFIG_MAPS}/�" in {item["path"] for item in logged.json()["items"]}
