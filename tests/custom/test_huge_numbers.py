"""Numbers in custom objects that float64 and JSON cannot represent."""

import httpx
import pytest

from tests.custom.test_definitions import WIDGETS, definition, establish, widget

_WHY = "json: cannot unmarshal number 1e400 into Go value of type float64"
_OBJECT = '{"apiVersion": "things.example/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"n": [1, 1e400]}}'


def test_a_custom_object_with_one_is_refused(client: httpx.Client) -> None:
    establish(client, definition())
    answer = client.post(WIDGETS, content=_OBJECT)
    assert answer.status_code == 400
    assert answer.json()["message"] == f'Widget in version "v1" cannot be handled as a Widget: {_WHY}'


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("merge-patch", '{"spec": {"n": 1e400}}'),
        ("json-patch", '[{"op": "add", "path": "/spec/n", "value": 1e400}]'),
    ],
)
def test_a_patch_of_a_custom_object_with_one_is_refused(client: httpx.Client, kind: str, patch: str) -> None:
    establish(client, definition())
    client.post(WIDGETS, json=widget()).raise_for_status()
    headers = {"Content-Type": f"application/{kind}+json"}
    answer = client.patch(f"{WIDGETS}/a", content=patch, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["message"].endswith(_WHY)
    assert client.get(f"{WIDGETS}/a").json()["spec"] == {}


def test_a_strategic_patch_with_one_is_refused(client: httpx.Client) -> None:
    maps = "/api/v1/namespaces/default/configmaps"
    client.post(maps, json={"metadata": {"name": "a"}}).raise_for_status()
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    answer = client.patch(f"{maps}/a", content='{"data": {"a": 1e400}}', headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (400, _WHY)
