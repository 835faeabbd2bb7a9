"""A server as a fixture: started once for the whole test run, with a namespace for each test."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client

from memkube.server.server import Server
from memkube.server.settings import Settings


@pytest.fixture(scope="session")
def core() -> Iterator[Any]:
    """The core API of a server that runs during the whole test run."""
    with Server(Settings()).in_thread() as server, client.ApiClient(client.Configuration(host=server.url)) as connected:
        yield client.CoreV1Api(connected)


@pytest.fixture
def namespace(core: Any) -> str:
    """A new namespace."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=name)))
    return name


def test_a_config_map_keeps_what_it_is_given(core: Any, namespace: str) -> None:
    """A real test would call the code under test here."""
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings"), data={"colour": "blue"})
    core.create_namespaced_config_map(namespace, body)
    assert core.read_namespaced_config_map("settings", namespace).data == {"colour": "blue"}


def test_a_pod_without_containers_is_refused(core: Any, namespace: str) -> None:
    """The server refuses invalid objects as a cluster does."""
    body = {"metadata": {"name": "empty"}, "spec": {"containers": []}}
    with pytest.raises(client.ApiException) as refusal:
        core.create_namespaced_pod(namespace, body)
    assert refusal.value.status == 422
