from typing import Any

import httpx
import pytest

import memkube
from memkube import Memkube
from memkube.controllers.pod_autoscaler.metric_values import MOST_VALUES

METRICS = "/memkube/v1/metrics"
QUEUE = {"type": "External", "metric": "queue_length", "value": "30", "labels": {"queue": "mail"}}


def test_a_value_is_kept_until_it_is_deleted(client: httpx.Client) -> None:
    answer = client.put(f"{METRICS}/queue", json=QUEUE)
    assert (answer.status_code, answer.json()) == (200, QUEUE)
    assert client.get(f"{METRICS}/queue").json() == QUEUE
    assert client.get(METRICS).json() == {"items": [{"name": "queue", "metric": QUEUE}]}
    assert client.delete(f"{METRICS}/queue").status_code == 204
    assert client.get(METRICS).json() == {"items": []}


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_unknown_value_is_not_found(client: httpx.Client, method: str) -> None:
    answer = client.request(method, f"{METRICS}/queue")
    assert (answer.status_code, answer.json()["message"]) == (404, 'metrics "queue" not found')


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"metric": "hits", "value": "1"}, "type"),
        ({"type": "Pods", "metric": "hits", "value": "many"}, "value"),
        ({"type": "Pods", "metric": "hits", "value": "1", "labelSelector": "a in"}, "labelSelector"),
        ({"type": "Pods", "metric": "hits", "value": "1", "kind": "Pod"}, "the type Pods must not have kind"),
        ({"type": "Object", "metric": "hits", "value": "1", "kind": "Service"}, "needs the fields kind and name"),
        ({"type": "External", "metric": "hits", "value": "1", "name": "web"}, "the type External must not have name"),
    ],
)
def test_a_value_that_is_not_consistent_is_refused(client: httpx.Client, value: Any, why: str) -> None:
    answer = client.put(f"{METRICS}/hits", json=value)
    assert (answer.status_code, why in answer.text) == (422, True)


def test_the_number_of_values_is_limited() -> None:
    with Memkube(clock="stepped", controllers="none") as kube:
        for number in range(MOST_VALUES):
            kube.metrics.put(f"m{number}", QUEUE)
        kube.metrics.put("m0", QUEUE)
        with pytest.raises(memkube.Refused, match="the maximum of 1000 metrics"):
            kube.metrics.put("other", QUEUE)


def test_a_snapshot_keeps_the_values() -> None:
    with Memkube(clock="stepped", controllers="none") as kube:
        kube.metrics.put("queue", QUEUE)
        taken = kube.snapshot()
        kube.metrics.put("later", QUEUE)
        kube.restore(taken)
        assert list(kube.metrics.all()) == ["queue"]
