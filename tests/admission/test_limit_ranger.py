from typing import Any

import httpx
import pytest


@pytest.fixture
def limit(client: httpx.Client, namespace: str) -> Any:
    """Return a function that creates a LimitRange in the test's namespace."""

    def create(name: str, *items: dict[str, Any]) -> None:
        body = {"metadata": {"name": name}, "spec": {"limits": items}}
        client.post(f"/api/v1/namespaces/{namespace}/limitranges", json=body).raise_for_status()

    return create


def pod(asked: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """Return a pod with one container that has these resources."""
    containers = [{"name": "app", "image": "nginx:1.27", "resources": asked}]
    return {"metadata": {"name": "web"}, "spec": {"containers": containers, **spec}}


def test_each_limit_range_notes_what_it_set_and_the_last_one_is_kept(
    client: httpx.Client, pods: str, limit: Any
) -> None:
    limit("a", {"type": "Container", "default": {"cpu": "1"}})
    limit("b", {"type": "Container", "defaultRequest": {"cpu": "7", "memory": "1Ki"}})
    created = client.post(pods, json=pod({})).json()
    assert created["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "1"},
        "requests": {"cpu": "1", "memory": "1Ki"},
    }
    note = created["metadata"]["annotations"]["kubernetes.io/limit-ranger"]
    assert note == "LimitRanger plugin set: memory request for container app"


@pytest.mark.parametrize(
    ("item", "resources", "why"),
    [
        ({"min": {"cpu": "1"}}, {}, "minimum cpu usage per Pod is 1.  No request is specified"),
        ({"min": {"cpu": "1"}}, {"requests": {"cpu": "500m"}}, "minimum cpu usage per Pod is 1, but request is 500m"),
        ({"max": {"cpu": "1"}}, {}, "maximum cpu usage per Pod is 1.  No limit is specified"),
        ({"max": {"cpu": "1"}}, {"limits": {"cpu": "1001m"}}, "maximum cpu usage per Pod is 1, but limit is 1001m"),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"limits": {"cpu": "1"}, "requests": {"cpu": "300m"}},
            "cpu max limit to request ratio per Pod is 2, but provided ratio is 3.333333",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"limits": {"cpu": "1"}, "requests": {"cpu": "0"}},
            "cpu max limit to request ratio per Pod is 2, but no request is specified or request is 0",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"requests": {"cpu": "1"}},
            "cpu max limit to request ratio per Pod is 2, but no limit is specified or limit is 0",
        ),
    ],
)
def test_pods_keep_to_the_bounds(
    client: httpx.Client, pods: str, limit: Any, item: dict[str, Any], resources: dict[str, Any], why: str
) -> None:
    limit("a", {"type": "Pod", **item})
    refused = client.post(pods, json=pod(resources))
    assert (refused.status_code, refused.json()["message"]) == (403, f'pods "web" is forbidden: {why}')


def test_a_pod_as_a_whole_can_say_what_its_containers_need(client: httpx.Client, pods: str, limit: Any) -> None:
    limit("a", {"type": "Pod", "min": {"cpu": "2"}})
    body = pod({"requests": {"cpu": "1"}})
    body["spec"]["resources"] = {"requests": {"cpu": "2"}}
    assert client.post(pods, json=body).status_code == 201


def test_sidecars_and_what_starts_before_count_with_the_rest(client: httpx.Client, pods: str, limit: Any) -> None:
    limit("a", {"type": "Pod", "max": {"cpu": "3"}})
    two = {"image": "nginx:1.27", "resources": {"limits": {"cpu": "2"}}}
    before = [{"name": "side", "restartPolicy": "Always", **two}, {"name": "init", **two}]
    refused = client.post(pods, json=pod({"limits": {"cpu": "500m"}}, initContainers=before)).json()
    assert refused["message"].endswith("but limit is 4")


def test_all_that_one_limit_range_finds_is_said_at_once(client: httpx.Client, pods: str, limit: Any) -> None:
    limit("a", {"type": "Pod", "max": {"cpu": "1", "memory": "1Ki"}})
    message = client.post(pods, json=pod({})).json()["message"]
    assert message.endswith(
        "forbidden: [maximum cpu usage per Pod is 1.  No limit is specified, "
        "maximum memory usage per Pod is 1Ki.  No limit is specified]"
    )


def test_a_resize_is_bounded(client: httpx.Client, pods: str, limit: Any) -> None:
    client.post(pods, json=pod({"requests": {"cpu": "1"}, "limits": {"cpu": "2"}})).raise_for_status()
    limit("a", {"type": "Container", "max": {"cpu": "2"}})
    container = {"name": "app", "resources": {"limits": {"cpu": "3"}}}
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    refused = client.patch(f"{pods}/web/resize", json={"spec": {"containers": [container]}}, headers=headers)
    assert refused.json()["message"].endswith("maximum cpu usage per Container is 2, but limit is 3")
