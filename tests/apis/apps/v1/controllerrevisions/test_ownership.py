from typing import Any

import httpx
import pytest

APPLY = {"Content-Type": "application/apply-patch+yaml"}


@pytest.mark.parametrize("data", [{}, {"a": 1}, {"a": {"b": {}}}])
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_the_data_of_a_revision_is_owned_whole(
    client: httpx.Client, namespace: str, method: str, data: dict[str, Any]
) -> None:
    revisions = f"/apis/apps/v1/namespaces/{namespace}/controllerrevisions"
    body = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "a"}, "data": data}
    if method == "POST":
        answer = client.post(revisions, json={**body, "revision": 1})
    else:
        answer = client.patch(f"{revisions}/a?fieldManager=me", json={**body, "revision": 1}, headers=APPLY)
    owned = answer.json()["metadata"]["managedFields"][0]["fieldsV1"]
    assert owned == {"f:data": {}, "f:revision": {}}
