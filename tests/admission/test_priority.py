import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
_CONTAINERS = [{"name": "app", "image": "nginx"}]


@pytest.fixture
def make_class(client: httpx.Client) -> Iterator[Any]:
    """Return a function that creates PriorityClasses, which are deleted after the test."""
    made: list[str] = []

    def make(**fields: Any) -> httpx.Response:
        name = f"class-{uuid.uuid4().hex[:8]}"
        answer = client.post(_CLASSES, json={"metadata": {"name": name}, **fields})
        if answer.is_success:
            made.append(name)
        return answer

    yield make
    for name in made:
        client.delete(f"{_CLASSES}/{name}")


def _posted(client: httpx.Client, pods: str, **spec: Any) -> httpx.Response:
    return client.post(pods, json={"metadata": {"name": "web"}, "spec": {"containers": _CONTAINERS, **spec}})


def test_a_pod_gets_the_priority_of_its_class(client: httpx.Client, pods: str, make_class: Any) -> None:
    name = make_class(value=7, preemptionPolicy="Never").json()["metadata"]["name"]
    spec = _posted(client, pods, priorityClassName=name).json()["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (7, "Never")


def test_a_pod_without_a_class_gets_the_default_one(client: httpx.Client, pods: str, make_class: Any) -> None:
    name = make_class(value=7, globalDefault=True).json()["metadata"]["name"]
    spec = _posted(client, pods).json()["spec"]
    assert (spec["priorityClassName"], spec["priority"]) == (name, 7)


def test_there_is_one_default(client: httpx.Client, make_class: Any) -> None:
    first = make_class(value=7, globalDefault=True).json()["metadata"]["name"]
    refused = make_class(value=8, globalDefault=True)
    assert refused.status_code == 403
    assert f"PriorityClass {first} is already marked as default. Only one default can exist" in refused.text
    touched = client.patch(
        f"{_CLASSES}/{first}",
        json={"description": "x"},
        headers={"Content-Type": "application/merge-patch+json"},
    )
    assert touched.status_code == 200


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"priorityClassName": "none"}, "no PriorityClass with name none was found"),
        ({"priority": 5}, "the integer value of priority (5) must not be provided in pod spec"),
        (
            {"preemptionPolicy": "Never"},
            "the string value of PreemptionPolicy (Never) must not be provided in pod spec",
        ),
    ],
)
def test_what_does_not_follow_from_the_class_is_refused(
    client: httpx.Client, pods: str, spec: dict[str, Any], why: str
) -> None:
    refused = _posted(client, pods, **spec)
    assert refused.status_code == 403
    assert why in refused.text
