import httpx
import pytest


@pytest.fixture
def item(client: httpx.Client, namespace: str) -> str:
    """The URL path of a ConfigMap."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(path, json={"metadata": {"name": "a"}}).raise_for_status()
    return f"{path}/a"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"kind": "Pod", "apiVersion": "v1"},
            (
                'no kind "Pod" is registered for version "v1" in scheme '
                '"pkg/apis/meta/internalversion/scheme/register.go:27"'
            ),
        ),
        (
            {"kind": "Pod"},
            (
                'no kind "Pod" is registered for version "meta.k8s.io/v1" in scheme '
                '"pkg/apis/meta/internalversion/scheme/register.go:27"'
            ),
        ),
        (
            {"kind": "CreateOptions", "apiVersion": "policy/v1"},
            "converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion",
        ),
        ({"kind": "DeleteOptions", "apiVersion": "a/b/c"}, "unexpected GroupVersion string: a/b/c"),
    ],
)
def test_a_body_of_another_kind_is_refused(client: httpx.Client, item: str, body: dict[str, str], message: str) -> None:
    answer = client.request("DELETE", item, json=body)
    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_an_option_behind_a_closed_feature_gate_is_ignored(client: httpx.Client, item: str) -> None:
    body = {"ignoreStoreReadErrorWithClusterBreakingPotential": True, "gracePeriodSeconds": 1}
    assert client.request("DELETE", item, json=body).status_code == 200


@pytest.mark.parametrize("path", ["", "/a"])
@pytest.mark.parametrize("query", [{"uid": "other"}, {"resourceVersion": "0"}])
def test_a_query_has_preconditions_too(client: httpx.Client, item: str, path: str, query: dict[str, str]) -> None:
    address = item.removesuffix("/a") + path
    assert client.delete(address, params=query).status_code == 409
    assert client.request("DELETE", address, params=query, json={}).status_code == 200


@pytest.mark.parametrize(("query", "names"), [({}, ["a"]), ({"fieldSelector": "metadata.name=a"}, [])])
def test_an_object_that_is_asked_for_by_name_is_not_looked_for_in_the_past(
    client: httpx.Client, item: str, query: dict[str, str], names: list[str]
) -> None:
    version = client.get(item).json()["metadata"]["resourceVersion"]
    client.delete(item).raise_for_status()
    collection = item.removesuffix("/a")
    answer = client.request("DELETE", collection, params={"resourceVersion": version, **query}, json={})
    assert [found["metadata"]["name"] for found in answer.json()["items"]] == names
