"""Programs with the official client that page, patch, apply, update concurrently, and load manifests."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client, config, utils, watch

from memkube import Memkube
from tests.clients.workloads import Document, condition, config_map, deployment, site, site_definition

_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"


@pytest.fixture
def api_client(memkube: Memkube) -> Iterator[Any]:
    with config.new_client_from_config(config_file=str(memkube.kubeconfig)) as connected:
        yield connected


@pytest.fixture
def core(api_client: Any) -> Any:
    return client.CoreV1Api(api_client)


@pytest.fixture
def apps(api_client: Any) -> Any:
    return client.AppsV1Api(api_client)


def _pod(name: str, **labels: str) -> Any:
    container = client.V1Container(name="web", image="nginx:1", ports=[client.V1ContainerPort(container_port=80)])
    metadata = client.V1ObjectMeta(name=name, labels=labels)
    return client.V1Pod(metadata=metadata, spec=client.V1PodSpec(containers=[container]))


def _refused(call: Any, *arguments: Any, **options: Any) -> Any:
    with pytest.raises(client.ApiException) as refusal:
        call(*arguments, **options)
    return refusal.value


def test_a_created_pod_comes_back_with_its_defaults(core: Any) -> None:
    core.create_namespaced_pod("default", _pod("web"))
    pod = core.read_namespaced_pod("web", "default")
    assert (pod.spec.restart_policy, pod.spec.dns_policy) == ("Always", "ClusterFirst")
    assert pod.spec.containers[0].ports[0].protocol == "TCP"


def test_pods_are_listed_by_label_and_page_by_page(core: Any) -> None:
    for number in range(5):
        core.create_namespaced_pod("default", _pod(f"web-{number}", app="web"))
    core.create_namespaced_pod("default", _pod("db", app="db"))
    names: list[str] = []
    token = None
    while token != "":
        page = core.list_namespaced_pod("default", label_selector="app=web", limit=2, _continue=token)
        names += [pod.metadata.name for pod in page.items]
        assert page.metadata.remaining_item_count is None, "which is not told of a selection"
        token = page.metadata._continue or ""
    assert names == [f"web-{number}" for number in range(5)]


def test_a_container_is_changed_in_every_way_that_a_patch_has(apps: Any) -> None:
    apps.create_namespaced_deployment("default", deployment())
    changed = {"containers": [{"name": "web", "env": [{"name": "A", "value": "1"}]}]}
    strategic = apps.patch_namespaced_deployment("web", "default", {"spec": {"template": {"spec": changed}}})
    assert strategic.spec.template.spec.containers[0].image == "nginx:1", "merged into the container of that name"

    operations = [
        {"op": "test", "path": "/spec/replicas", "value": 3},
        {"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "B", "value": "2"}},
    ]
    json_patched = apps.patch_namespaced_deployment("web", "default", operations)
    assert [variable.name for variable in json_patched.spec.template.spec.containers[0].env] == ["A", "B"]

    merge = {"metadata": {"annotations": {"a": "b"}}, "spec": {"paused": True}}
    merged = apps.patch_namespaced_deployment("web", "default", merge, _content_type=_MERGE)
    assert (merged.spec.paused, merged.metadata.annotations["a"]) == (True, "b")

    stale = [{"op": "test", "path": "/spec/replicas", "value": 4}]
    assert _refused(apps.patch_namespaced_deployment, "web", "default", stale).status == 422


def test_two_managers_apply_and_one_of_them_insists(core: Any) -> None:
    ours, theirs = config_map("settings", colour="blue", size="1"), config_map("settings", colour="red")
    options = {"name": "settings", "namespace": "default", "_content_type": _APPLY}
    core.patch_namespaced_config_map(body=ours, field_manager="we", **options)
    conflict = _refused(core.patch_namespaced_config_map, body=theirs, field_manager="they", **options)
    assert (conflict.status, conflict.reason) == (409, "Conflict")
    assert 'conflict with \\"we\\": .data.colour' in conflict.body

    core.patch_namespaced_config_map(body=theirs, field_manager="they", force=True, **options)
    ours["data"].pop("size")
    ours["data"].pop("colour")
    settled = core.patch_namespaced_config_map(body=ours, field_manager="we", **options)
    assert settled.data == {"colour": "red"}, "we gave up what was ours alone; the other is theirs now"


def test_a_lost_update_is_a_conflict_that_is_tried_again(core: Any) -> None:
    core.create_namespaced_config_map("default", config_map("count", value="0"))

    def count(_: int) -> None:
        def once() -> None:
            found = core.read_namespaced_config_map("count", "default")
            found.data["value"] = str(int(found.data["value"]) + 1)
            core.replace_namespaced_config_map("count", "default", found)

        utils.retry_on_conflict(once, backoff=utils.Backoff(steps=100, duration=0.001, factor=1.0, jitter=1.0))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, range(20)))
    assert core.read_namespaced_config_map("count", "default").data == {"value": "20"}


def test_manifests_are_created_and_those_that_are_refused_told(api_client: Any, core: Any, tmp_path: Path) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    wrong = config_map("Not A Name")
    manifest = tmp_path / "shop.yaml"
    manifest.write_text(yaml.dump_all([namespace, deployment(), wrong, config_map("settings", colour="blue")]))
    with pytest.raises(utils.FailToCreateError) as failure:
        utils.create_from_yaml(api_client, str(manifest), namespace="shop")
    assert [error.status for error in failure.value.api_exceptions] == [422]
    assert core.read_namespaced_config_map("settings", "shop").data == {"colour": "blue"}

    # The creation belongs to another field manager, so applying needs force.
    forced = {"apply": True, "force_conflicts": True}
    again = utils.create_from_yaml(api_client, yaml_objects=[deployment(replicas=5)], namespace="shop", **forced)
    assert again[0][0].spec.replicas == 5


def test_a_custom_kind_is_defined_waited_for_and_used(api_client: Any) -> None:
    definitions, custom = client.ApiextensionsV1Api(api_client), client.CustomObjectsApi(api_client)
    definitions.create_custom_resource_definition(site_definition())
    _until_established(definitions)
    sites = {"group": "example.com", "version": "v1", "namespace": "default", "plural": "sites"}
    created = custom.create_namespaced_custom_object(body=site("web"), **sites)
    assert created["spec"] == {"host": "web.example.com", "replicas": 1}

    custom.patch_namespaced_custom_object_scale(name="web", body={"spec": {"replicas": 4}}, **sites)
    status = {"status": {"replicas": 4, "phase": "Serving"}}
    custom.patch_namespaced_custom_object_status(name="web", body=status, **sites)
    found = custom.get_namespaced_custom_object(name="web", **sites)
    assert (found["spec"]["replicas"], found["status"]) == (4, {"replicas": 4, "phase": "Serving"})
    invalid = _refused(custom.create_namespaced_custom_object, body=site("bad", replicas="many"), **sites)
    assert (invalid.status, "spec.replicas in body must be of type integer" in invalid.body) == (422, True)


def _until_established(definitions: Any) -> Document:
    for event in watch.Watch().stream(definitions.list_custom_resource_definition, timeout_seconds=20):
        found: Document = event["raw_object"]
        if condition(found, "Established")["status"] == "True":
            return found
    raise AssertionError("it is not established")
