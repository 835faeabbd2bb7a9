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


_PATCHES = [
    ("merge-patch", '{"spec": {"n": 1e400}}', "Go value"),
    ("json-patch", '[{"op": "add", "path": "/spec/n", "value": 1e400}]', "Go struct field jsonPatchOp.value"),
]


@pytest.mark.parametrize("path", [f"{WIDGETS}/a", "/api/v1/namespaces/default"])
@pytest.mark.parametrize(("kind", "patch", "target"), _PATCHES)
def test_a_patch_with_one_is_refused(client: httpx.Client, path: str, kind: str, patch: str, target: str) -> None:
    establish(client, definition())
    client.post(WIDGETS, json=widget()).raise_for_status()
    answer = client.patch(path, content=patch, headers={"Content-Type": f"application/{kind}+json"})
    why = f"error decoding patch: json: cannot unmarshal number 1e400 into {target} of type float64"
    assert (answer.status_code, answer.json()["message"]) == (400, why)
    assert client.get(f"{WIDGETS}/a").json()["spec"] == {}


@pytest.mark.parametrize(("kind", "patch"), [patch[:2] for patch in _PATCHES])
def test_the_patched_custom_object_is_refused_if_the_patch_is_not_validated(
    client: httpx.Client, kind: str, patch: str
) -> None:
    establish(client, definition())
    client.post(WIDGETS, json=widget()).raise_for_status()
    headers = {"Content-Type": f"application/{kind}+json"}
    answer = client.patch(f"{WIDGETS}/a?fieldValidation=Ignore", content=patch, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["message"].endswith(_WHY)


def test_a_strategic_patch_with_one_is_refused(client: httpx.Client) -> None:
    maps = "/api/v1/namespaces/default/configmaps"
    client.post(maps, json={"metadata": {"name": "a"}}).raise_for_status()
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    answer = client.patch(f"{maps}/a", content='{"data": {"a": 1e400}}', headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (400, _WHY)
