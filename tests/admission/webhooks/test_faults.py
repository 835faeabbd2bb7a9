"""Webhook calls that time out because of an injected fault."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import httpx

from tests.admission.webhooks.conftest import Register
from tests.hooks.listening import Received, review

_FAULTS = "/memkube/v1/faults"


def _deny(received: Received) -> bytes:
    return review(received, allowed=False)


@contextmanager
def timing_out(client: httpx.Client, namespace: str, **effect: Any) -> Iterator[str]:
    """Name of a fault that lets webhook calls time out; removed after the block."""
    rule = {"match": {"namespaces": [namespace]}, "effect": {"type": "webhookTimeout", **effect}}
    name = client.post(_FAULTS, json=rule).raise_for_status().json()["name"]
    try:
        yield name
    finally:
        client.delete(f"{_FAULTS}/{name}")


def test_a_webhook_times_out_in_the_words_of_the_reference_and_at_once(
    client: httpx.Client, namespace: str, config_maps: str, register: Register
) -> None:
    hook = register(review)
    with timing_out(client, namespace) as name:
        refused = client.post(config_maps, json={"metadata": {"name": "a"}})
        assert client.get(f"{_FAULTS}/{name}").json()["hits"] == 1
    assert refused.json()["message"] == (
        'Internal error occurred: failed calling webhook "a.hooks.example.com": failed to call webhook: '
        f'Post "{hook.url}?timeout=30s": context deadline exceeded'
    )
    assert refused.elapsed < timedelta(seconds=20)
    assert client.post(config_maps, json={"metadata": {"name": "a"}}).status_code == 201


def test_a_webhook_that_may_fail_keeps_nothing_from_being_written(
    client: httpx.Client, namespace: str, config_maps: str, register: Register
) -> None:
    register(_deny, failurePolicy="Ignore")
    with timing_out(client, namespace):
        assert client.post(config_maps, json={"metadata": {"name": "a"}}).status_code == 201
    assert client.post(config_maps, json={"metadata": {"name": "b"}}).status_code == 400


def test_other_webhooks_are_asked(client: httpx.Client, namespace: str, config_maps: str, register: Register) -> None:
    register(review)
    with timing_out(client, namespace, webhook="b.*"):
        assert client.post(config_maps, json={"metadata": {"name": "a"}}).status_code == 201


def test_its_time_may_have_to_pass(client: httpx.Client, namespace: str, config_maps: str, register: Register) -> None:
    register(review, timeoutSeconds=1)
    with timing_out(client, namespace, waits=True):
        refused = client.post(config_maps, json={"metadata": {"name": "a"}})
    assert refused.status_code == 500
    assert refused.elapsed > timedelta(seconds=1)
