from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client, dynamic, watch

from memkube.server import Server


@pytest.fixture
def api_client(server: Server) -> Iterator[Any]:
    configuration = client.Configuration(host=server.url)
    with client.ApiClient(configuration) as connected:
        yield connected


@pytest.fixture
def core(api_client: Any) -> Any:
    return client.CoreV1Api(api_client)


def _pod(name: str, **labels: str) -> Any:
    container = client.V1Container(name="web", image="nginx:1", ports=[client.V1ContainerPort(container_port=80)])
    return client.V1Pod(
        metadata=client.V1ObjectMeta(name=name, labels=labels), spec=client.V1PodSpec(containers=[container])
    )


def test_a_created_pod_comes_back_with_its_defaults(core: Any, namespace: str) -> None:
    core.create_namespaced_pod(namespace, _pod("web"))
    pod = core.read_namespaced_pod("web", namespace)
    assert (pod.status.phase, pod.spec.restart_policy) == ("Pending", "Always")
    assert pod.spec.containers[0].ports[0].protocol == "TCP"


def test_pods_are_listed_by_label_and_page_by_page(core: Any, namespace: str) -> None:
    for number in range(5):
        core.create_namespaced_pod(namespace, _pod(f"web-{number}", app="web"))
    core.create_namespaced_pod(namespace, _pod("db", app="db"))
    names: list[str] = []
    token = None
    while token != "":
        page = core.list_namespaced_pod(namespace, label_selector="app=web", limit=2, _continue=token)
        names += [pod.metadata.name for pod in page.items]
        token = page.metadata._continue or ""
    assert names == [f"web-{number}" for number in range(5)]


def test_a_pod_can_be_patched_replaced_and_deleted(core: Any, namespace: str) -> None:
    core.create_namespaced_pod(namespace, _pod("web"))
    patched = core.patch_namespaced_pod("web", namespace, {"metadata": {"labels": {"a": "b"}}})
    assert patched.metadata.labels == {"a": "b"}
    patched.metadata.annotations = {"c": "d"}
    replaced = core.replace_namespaced_pod("web", namespace, patched)
    assert replaced.metadata.annotations == {"c": "d"}
    core.delete_namespaced_pod("web", namespace)
    assert core.list_namespaced_pod(namespace).items == []


def test_a_lost_update_is_a_conflict(core: Any, namespace: str) -> None:
    stale = core.create_namespaced_pod(namespace, _pod("web"))
    core.patch_namespaced_pod("web", namespace, {"metadata": {"labels": {"a": "b"}}})
    with pytest.raises(client.ApiException) as refusal:
        core.replace_namespaced_pod("web", namespace, stale)
    assert (refusal.value.status, refusal.value.reason) == (409, "Conflict")


def test_a_status_is_written_through_its_subresource(core: Any, namespace: str) -> None:
    core.create_namespaced_pod(namespace, _pod("web"))
    core.patch_namespaced_pod_status("web", namespace, {"status": {"phase": "Running"}})
    assert core.read_namespaced_pod("web", namespace).status.phase == "Running"


def test_an_eviction_deletes_the_pod(core: Any, namespace: str) -> None:
    core.create_namespaced_pod(namespace, _pod("web"))
    eviction = client.V1Eviction(metadata=client.V1ObjectMeta(name="web"))
    core.create_namespaced_pod_eviction("web", namespace, eviction)
    assert core.list_namespaced_pod(namespace).items == []


def test_a_watch_sees_typed_objects(core: Any, namespace: str) -> None:
    version = core.list_namespaced_pod(namespace).metadata.resource_version
    core.create_namespaced_pod(namespace, _pod("web"))
    core.delete_namespaced_pod("web", namespace)
    seen = []
    watcher = watch.Watch()
    for event in watcher.stream(core.list_namespaced_pod, namespace, resource_version=version, timeout_seconds=20):
        seen.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            watcher.stop()
    assert seen[0] == ("ADDED", "web")
    assert seen[-1] == ("DELETED", "web")


class _Informer:
    """Lists once, then keeps up by watching, as controllers do."""

    def __init__(self, core: Any, namespace: str) -> None:
        self._core = core
        self._namespace = namespace
        listed = core.list_namespaced_pod(namespace)
        self.pods = {pod.metadata.name: pod.metadata.resource_version for pod in listed.items}
        self._version = listed.metadata.resource_version

    def catch_up(self, last: str) -> None:
        """Watches until the object called `last` appears."""
        watcher = watch.Watch()
        arguments = {"resource_version": self._version, "allow_watch_bookmarks": True, "timeout_seconds": 20}
        for event in watcher.stream(self._core.list_namespaced_pod, self._namespace, **arguments):
            metadata = event["object"].metadata
            self._version = metadata.resource_version
            if event["type"] == "DELETED":
                del self.pods[metadata.name]
            else:
                self.pods[metadata.name] = metadata.resource_version
            if metadata.name == last:
                return


def test_an_informer_has_what_a_list_shows(core: Any, namespace: str) -> None:
    core.create_namespaced_pod(namespace, _pod("before"))
    informer = _Informer(core, namespace)
    for round_number in range(2):
        core.create_namespaced_pod(namespace, _pod(f"web-{round_number}"))
        core.patch_namespaced_pod("before", namespace, {"metadata": {"labels": {"round": str(round_number)}}})
        core.create_namespaced_pod(namespace, _pod(f"gone-{round_number}"))
        core.delete_namespaced_pod(f"gone-{round_number}", namespace)
        core.create_namespaced_pod(namespace, _pod(f"last-{round_number}"))
        informer.catch_up(f"last-{round_number}")
        listed = core.list_namespaced_pod(namespace).items
        assert informer.pods == {pod.metadata.name: pod.metadata.resource_version for pod in listed}


def test_the_dynamic_client_discovers_and_applies(
    api_client: Any, namespace: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    found = dynamic.DynamicClient(api_client, cache_file=str(tmp_path / "discovery"))
    config_maps = found.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"b": "c"}}
    config_maps.server_side_apply(namespace=namespace, name="a", body=body, field_manager="test")
    assert config_maps.get(namespace=namespace, name="a").data.b == "c"
