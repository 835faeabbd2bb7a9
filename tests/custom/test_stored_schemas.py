"""Schemas of definitions as they are stored, and how error messages show their values."""

from typing import Any

import httpx
import pytest

from tests.custom.test_definitions import DEFINITIONS, definition, establish

_EMBEDDED = {
    "type": "object",
    "x-kubernetes-embedded-resource": True,
    "x-kubernetes-preserve-unknown-fields": True,
}
_OBJECT = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "", "labels": {}, "annotations": {"a": "b"}}}
_JSON = {"Content-Type": "application/json"}


def _create(client: httpx.Client, field: dict[str, Any]) -> dict[str, Any]:
    body = definition(type="object", properties={"f": field})
    answer = client.post(DEFINITIONS, json=body, params={"dryRun": "All"})
    assert answer.status_code == 201, answer.text
    schema = answer.json()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    found: dict[str, Any] = schema["properties"]["spec"]["properties"]["f"]
    return found


def _refused(client: httpx.Client, body: dict[str, Any]) -> str:
    answer = client.post(DEFINITIONS, json=body)
    assert answer.status_code in (400, 422), answer.text
    return str(answer.json()["message"])


@pytest.mark.parametrize("keyword", ["default", "example"])
def test_whole_floats_in_a_schema_are_stored_as_integers(client: httpx.Client, keyword: str) -> None:
    found = _create(client, {"type": "number", keyword: 1000.0})
    assert repr(found[keyword]) == "1000"


def test_whole_floats_in_an_enum_are_stored_as_integers(client: httpx.Client) -> None:
    assert repr(_create(client, {"type": "number", "enum": [1.0, 2.5]})["enum"]) == "[1, 2.5]"


def test_a_limit_beyond_64_bits_is_accepted(client: httpx.Client) -> None:
    assert _create(client, {"type": "number", "maximum": 1e20})["maximum"] == 1e20


def test_a_default_loses_the_empty_metadata_of_its_embedded_object(client: httpx.Client) -> None:
    found = _create(client, {**_EMBEDDED, "default": _OBJECT})
    assert found["default"]["metadata"] == {"annotations": {"a": "b"}}


def test_a_default_for_the_values_of_a_map_is_not_decoded(client: httpx.Client) -> None:
    wrong = {**_OBJECT, "metadata": {"labels": {"a": 1}}}
    found = _create(client, {"type": "object", "additionalProperties": {**_EMBEDDED, "default": wrong}})
    assert found["additionalProperties"]["default"] == wrong


def test_an_error_about_a_default_shows_decoded_metadata(client: httpx.Client) -> None:
    schema = {"type": "object", "properties": {"e": _EMBEDDED}, "default": {"e": _OBJECT, "unknown": 1.0}}
    message = _refused(client, definition(type="object", properties={"f": schema}))
    assert '{"annotations":{"a":"b"}}},"unknown":1}: must not have unknown fields' in message


def test_an_integer_is_compared_with_a_limit_beyond_64_bits_as_in_go(client: httpx.Client) -> None:
    field = {"type": "number", "maximum": 1e20, "default": 2}
    message = _refused(client, definition(type="object", properties={"f": field}))
    assert message.endswith("Invalid value: 2:  in body should be less than or equal to -9223372036854775808")


def test_an_error_about_a_deprecation_warning_shows_it_as_json(client: httpx.Client) -> None:
    body = definition()
    body["spec"]["versions"][0]["deprecationWarning"] = "use <v2>\u00a0"
    assert 'Invalid value: "use \\u003cv2\\u003e\u00a0": can only be set' in _refused(client, body)


def test_an_error_about_a_selector_path_shows_it_as_json(client: httpx.Client) -> None:
    body = definition()
    scale = {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a", "labelSelectorPath": ".<a>"}
    body["spec"]["versions"][0]["subresources"] = {"scale": scale}
    assert 'Invalid value: ".\\u003ca\\u003e": should be' in _refused(client, body)


def test_an_error_about_a_wrong_enum_names_its_go_type(client: httpx.Client) -> None:
    message = _refused(client, definition(type="object", properties={"f": {"type": "string", "enum": "a"}}))
    assert message.endswith("properties.properties.enum of type []v1.JSON")


def test_the_default_of_an_int_or_string_may_have_another_type(client: httpx.Client) -> None:
    assert _create(client, {"x-kubernetes-int-or-string": True, "default": True})["default"] is True


def test_a_conversion_webhook_excludes_preserved_unknown_fields(client: httpx.Client) -> None:
    body = definition()
    body["spec"] |= {"conversion": {"strategy": "Webhook"}, "preserveUnknownFields": True}
    why = 'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true'
    assert why in _refused(client, body)


def test_a_whole_float_in_a_default_raises_the_generation(client: httpx.Client) -> None:
    body = definition(type="object", properties={"f": {"type": "number", "default": 1.0}})
    establish(client, body)
    path = f"{DEFINITIONS}/widgets.things.example"
    version = client.get(path).json()["metadata"]["resourceVersion"]
    body["metadata"]["resourceVersion"] = version
    assert client.put(path, json=body, params={"dryRun": "All"}).json()["metadata"]["generation"] == 2


def test_a_status_without_stored_versions_gets_the_storage_version(client: httpx.Client) -> None:
    establish(client, definition())
    path = f"{DEFINITIONS}/widgets.things.example/status"
    patch: dict[str, Any] = {"status": {"storedVersions": []}}
    answer = client.patch(path, json=patch, headers={"Content-Type": "application/merge-patch+json"})
    assert answer.json()["status"]["storedVersions"] == ["v1"]


def test_a_status_is_not_completed_from_the_versions_in_the_body(client: httpx.Client) -> None:
    establish(client, definition())
    path = f"{DEFINITIONS}/widgets.things.example"
    body = client.get(path).json()
    body["spec"]["versions"], body["status"]["storedVersions"] = [], []
    assert client.put(f"{path}/status", json=body).json()["status"]["storedVersions"] == ["v1"]
