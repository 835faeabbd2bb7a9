from collections.abc import Iterator
from typing import Any

import pytest

import memkube
from memkube import faults

_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
}
_DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": _POD["spec"]},
    },
}


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(clock="stepped") as kube:
        yield kube


def test_an_object_is_created_read_patched_and_deleted(kube: memkube.Memkube) -> None:
    assert kube.create(config_map("a", key="1"))[0]["metadata"]["namespace"] == "default"
    assert kube.get("cm", "a")["data"] == {"key": "1"}
    assert kube.patch("configmaps", "a", {"data": {"key": "2"}})["data"] == {"key": "2"}
    kube.delete("configmap", "a")
    with pytest.raises(memkube.Refused, match='configmaps "a" not found') as refused:
        kube.get("configmaps", "a")
    assert (refused.value.code, refused.value.reason) == (404, "NotFound")


def test_an_object_is_created_once(kube: memkube.Memkube) -> None:
    kube.create(config_map("a"))
    with pytest.raises(memkube.Refused, match='configmaps "a" already exists'):
        kube.create(config_map("a"))


def test_unknown_fields_are_refused(kube: memkube.Memkube) -> None:
    with pytest.raises(memkube.Refused, match='unknown field "dta"'):
        kube.create(config_map("a") | {"dta": {}})


def test_lists_are_selected_by_namespace_labels_and_fields(kube: memkube.Memkube) -> None:
    kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}}, _POD)
    kube.create(_POD, namespace="other")
    assert [pod["kind"] for pod in kube.list("pods")] == ["Pod", "Pod"]
    assert [pod["metadata"]["namespace"] for pod in kube.list("pods", namespace="other")] == ["other"]
    assert kube.list("pods", labels="app=db") == []
    assert len(kube.list("pods", fields="metadata.namespace=default")) == 1


@pytest.mark.parametrize(
    ("type_", "patch"),
    [
        ("merge", {"data": {"a": None, "b": "2"}}),
        ("json", [{"op": "remove", "path": "/data/a"}, {"op": "add", "path": "/data/b", "value": "2"}]),
    ],
)
def test_each_type_of_patch_is_sent(kube: memkube.Memkube, type_: Any, patch: Any) -> None:
    kube.create(config_map("a", a="1"))
    assert kube.patch("configmaps", "a", patch, type=type_)["data"] == {"b": "2"}


def test_an_unknown_type_of_patch_is_answered_with_those_that_exist(kube: memkube.Memkube) -> None:
    with pytest.raises(memkube.UsageError, match=r"unknown patch type 'mergge': did you mean 'merge'\?"):
        kube.patch("configmaps", "a", {}, type="mergge")  # type: ignore[arg-type]  # this is the mistake


def test_a_deployment_is_scaled(kube: memkube.Memkube) -> None:
    kube.create(_DEPLOYMENT)
    assert kube.scale("deploy", "web", 3)["spec"]["replicas"] == 3
    assert len(kube.list("pods", namespace="default")) == 3
    assert kube.get("deployments", "web", subresource="scale")["kind"] == "Scale"


def test_deletion_takes_its_options(kube: memkube.Memkube) -> None:
    kube.create(_DEPLOYMENT)
    kube.delete("deployments", "web", propagation="Orphan")
    assert len(kube.list("replicasets")) == 1
    kube.clock.advance(until=("replicasets", kube.list("replicasets")[0]["metadata"]["name"], "create"))
    pod = kube.list("pods")[0]["metadata"]["name"]
    kube.delete("pods", pod, grace_seconds=0)
    assert pod not in [left["metadata"]["name"] for left in kube.list("pods")]


def test_logs_and_commands_of_a_pod(kube: memkube.Memkube) -> None:
    kube.behaviors.put("talking", {"image": "nginx:*", "log": {"lines": ["one", "two"]}})
    kube.create(_POD)
    kube.clock.advance(until=("pods", "web", "condition=Ready"))
    kube.clock.advance(5)
    assert kube.logs("web", tail=1) == "two\n"
    assert kube.exec("web", ["echo", "hello"]) == memkube.ExecResult(0, "hello\n", "")
    assert kube.exec("web", ["sh", "-c", "exit 3"]).exit_code == 3
    assert kube.exec("web", ["cat"], stdin="given").stdout == "given"


def test_a_command_in_a_pod_that_does_not_exist_is_refused(kube: memkube.Memkube) -> None:
    with pytest.raises(memkube.Refused, match='pods "web" not found'):
        kube.exec("web", ["echo"])
    with pytest.raises(memkube.Refused, match='pods "web" not found'):
        kube.logs("web")


def test_events_of_one_object(kube: memkube.Memkube) -> None:
    kube.create(_POD)
    kube.clock.advance(until=("pods", "web", "condition=Ready"))
    about = kube.events("pods", "web")
    assert "Scheduled" in [event["reason"] for event in about]
    assert {event["involvedObject"]["name"] for event in about} == {"web"}
    assert len(kube.events()) >= len(about)


def test_requests_are_recorded_and_hit_by_faults_unlike_those_in_process(kube: memkube.Memkube) -> None:
    kube.create(config_map("a"))
    with kube.faults.add(faults.error(503), resource="configmaps") as fault:
        kube.object("configmaps", "a")
        assert fault.hits == 0
        with pytest.raises(memkube.Refused) as refused:
            kube.get("configmaps", "a")
    assert refused.value.code == 503
    kube.requests.of("get", "configmaps").by("memkube-python").must_be(1)


def test_a_dropped_connection_is_a_server_error(kube: memkube.Memkube) -> None:
    with (
        kube.faults.add(faults.drop(), resource="configmaps"),
        pytest.raises(memkube.ServerError, match="no response to GET /api/v1/namespaces/default/configmaps/a"),
    ):
        kube.get("configmaps", "a")


def test_an_unknown_resource_is_answered_with_the_nearest(kube: memkube.Memkube) -> None:
    with pytest.raises(memkube.Refused, match="resource type 'deploymnts': did you mean 'deployments'"):
        kube.list("deploymnts")


def test_custom_objects_have_the_same_verbs(kube: memkube.Memkube) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]},
    }
    kube.apply(definition)
    kube.create({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "first"}, "spec": {"n": 1}})
    assert kube.patch("widgets", "first", {"spec": {"n": 2}}, type="merge")["spec"] == {"n": 2}
    assert [widget["kind"] for widget in kube.list("widgets.example.com")] == ["Widget"]


@pytest.mark.anyio
async def test_the_verbs_are_awaited_in_an_event_loop() -> None:
    async with memkube.Memkube(controllers="none") as kube:
        await kube.create(config_map("a"))
        assert (await kube.get("configmaps", "a"))["kind"] == "ConfigMap"
        assert [found["metadata"]["name"] for found in await kube.list("configmaps", namespace="default")] == ["a"]
