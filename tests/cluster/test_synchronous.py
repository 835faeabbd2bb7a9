import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

import memkube

_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
}
_DEFINITION_BEHIND_ITS_OBJECT = """
apiVersion: example.com/v1
kind: Widget
metadata: {name: first}
spec: {size: 3}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.fixture
def bare() -> Iterator[memkube.Memkube]:
    """A cluster without controllers."""
    with memkube.Memkube(controllers="none") as kube:
        yield kube


@pytest.fixture
def stepped() -> Iterator[memkube.Memkube]:
    """A cluster with two nodes and a stepped clock."""
    with memkube.Memkube(nodes=2, clock="stepped") as kube:
        yield kube


def test_it_runs_as_often_as_there_is_a_block_and_remembers_nothing() -> None:
    kube = memkube.Memkube(controllers="none")
    for _ in range(3):
        with kube:
            assert kube.objects("configmaps", "default") == []
            kube.apply(config_map("settings"))


def test_several_at_once_share_nothing(bare: memkube.Memkube) -> None:
    with memkube.Memkube(controllers="none") as other:
        other.apply(config_map("settings"))
        assert bare.url != other.url
        assert bare.objects("configmaps", "default") == []


def test_outside_of_its_block_there_is_no_server() -> None:
    kube = memkube.Memkube(controllers="none")
    with kube:
        pass
    for ask in (lambda: kube.url, lambda: kube.objects("pods"), lambda: kube.kubeconfig, kube.clock.now):
        with pytest.raises(memkube.NotRunning, match="inside its with block"):
            ask()


def test_the_kubeconfig_tells_where_it_is_and_goes_with_it() -> None:
    with memkube.Memkube(controllers="none") as kube:
        path = kube.kubeconfig
        assert yaml.safe_load(path.read_text())["clusters"][0]["cluster"]["server"] == kube.url
        assert path.read_text() == kube.kubeconfig_content
    assert not path.exists()


def test_what_is_applied_belongs_to_a_manager_of_its_own(bare: memkube.Memkube) -> None:
    (applied,) = bare.apply(config_map("settings", colour="blue"), namespace="kube-public")
    assert applied == httpx.get(f"{bare.url}/api/v1/namespaces/kube-public/configmaps/settings").json()
    assert [(f["manager"], f["operation"]) for f in applied["metadata"]["managedFields"]] == [
        ("memkube-python", "Apply")
    ]


def test_fields_of_others_are_taken_by_force_only(bare: memkube.Memkube) -> None:
    url = f"{bare.url}/api/v1/namespaces/default/configmaps"
    httpx.post(url, json=config_map("settings", colour="red")).raise_for_status()
    with pytest.raises(memkube.Refused) as refusal:
        bare.apply(config_map("settings", colour="blue"))
    assert (refusal.value.code, refusal.value.reason) == (409, "Conflict")
    assert bare.apply(config_map("settings", colour="blue"), force=True)[0]["data"] == {"colour": "blue"}


def test_definitions_are_served_before_their_objects_are_applied(stepped: memkube.Memkube) -> None:
    stepped.apply(_DEFINITION_BEHIND_ITS_OBJECT)
    assert [widget["spec"] for widget in stepped.objects("widgets.example.com")] == [{"size": 3}]


def test_a_definition_that_cannot_be_served_is_told(bare: memkube.Memkube) -> None:
    definition = _DEFINITION_BEHIND_ITS_OBJECT.partition("---")[2]
    bare.apply(definition)
    bare.apply(definition)
    taken = definition.replace("widgets", "gadgets").replace("singular: widget", "singular: gadget")
    url = f"{bare.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert httpx.post(url, json=yaml.safe_load(taken)).status_code == 201
    state = bare.wait_for("crd", "gadgets.example.com", "condition=NamesAccepted=False")
    assert state is not None


def test_a_refusal_tells_which_document_it_is_about(bare: memkube.Memkube, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("# nothing\n---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: Bad Name}\n")
    with pytest.raises(memkube.Refused, match=r"a\.yaml, document at line 3: .* is invalid") as refusal:
        bare.apply(tmp_path)
    assert refusal.value.status["details"]["causes"][0]["field"] == "metadata.name"


@pytest.mark.parametrize("name", ["pods", "pod", "po", "Pod", "pods.v1"])
def test_a_resource_goes_by_the_names_that_kubectl_knows(bare: memkube.Memkube, name: str) -> None:
    bare.apply(_POD)
    assert [pod["metadata"]["name"] for pod in bare.objects(name, labels="app=web")] == ["web"]
    assert bare.objects(name, labels="app=other") == []


def test_a_resource_that_is_not_served_is_refused(bare: memkube.Memkube) -> None:
    with pytest.raises(memkube.Refused, match="doesn't have a resource type 'gadgets'"):
        bare.objects("gadgets")


def test_what_it_hands_out_may_be_changed(bare: memkube.Memkube) -> None:
    bare.apply(config_map("settings", colour="blue"))
    bare.object("configmaps", "settings")["data"]["colour"] = "red"
    assert bare.object("configmaps", "settings")["data"] == {"colour": "blue"}


def test_a_pod_is_waited_for(stepped: memkube.Memkube) -> None:
    stepped.apply(_POD)
    state = stepped.wait_for("pods", "web", "condition=Ready")
    assert state is not None
    assert state["status"]["phase"] == "Running"


def test_an_object_that_comes_later_is_waited_for(bare: memkube.Memkube) -> None:
    def apply(state: dict[str, Any]) -> bool:
        threading.Thread(target=bare.apply, args=[config_map("settings", colour="blue")]).start()
        return bool(state["metadata"]["name"] == "first")

    bare.apply(config_map("first"))
    bare.wait_for("configmaps", "first", apply)
    found = bare.wait_for("configmaps", "settings", lambda state: state["data"]["colour"] == "blue")
    assert found is not None


def test_an_object_that_is_gone_is_waited_for(bare: memkube.Memkube) -> None:
    bare.apply(config_map("settings"))

    def delete(_: object) -> bool:
        return httpx.delete(f"{bare.url}/api/v1/namespaces/default/configmaps/settings").is_success

    bare.wait_for("configmaps", "settings", delete)
    assert bare.wait_for("configmaps", "settings", "delete") is None


def test_what_does_not_come_is_told_with_what_was_seen_last(stepped: memkube.Memkube) -> None:
    stepped.behaviors.put("slow", {"image": "nginx:*", "pullSeconds": 60})
    stepped.apply(_POD)
    with pytest.raises(memkube.WaitTimeout, match=r"phase Pending.*Ready=False.*the stepped clock stays at") as failure:
        stepped.wait_for("pods", "web", "condition=Ready", timeout=0)
    assert isinstance(failure.value, TimeoutError)
    stepped.clock.advance(60)
    assert stepped.wait_for("pods", "web", "condition=Ready")


def test_a_condition_that_is_met_needs_no_time(bare: memkube.Memkube) -> None:
    bare.apply(config_map("settings"))
    assert bare.wait_for("configmaps", "settings", "create", timeout=0)


def test_an_object_that_never_was_is_told(bare: memkube.Memkube) -> None:
    with pytest.raises(memkube.WaitTimeout, match="there is no such object"):
        bare.wait_for("pods", "web", "create", timeout=0)


def test_a_condition_that_there_is_not_is_an_error(bare: memkube.Memkube) -> None:
    with pytest.raises(ValueError, match="unknown condition 'ready'"):
        bare.wait_for("pods", "web", "ready")


def test_nodes_fail_and_time_moves(stepped: memkube.Memkube) -> None:
    before = stepped.clock.now()
    stepped.nodes.fail("node-2")
    assert stepped.clock.advance(60) - before == timedelta(seconds=60)
    assert [node.failed for node in stepped.nodes] == [False, True]
    assert stepped.wait_for("nodes", "node-2", "condition=Ready=Unknown")
    stepped.nodes.recover("node-2")
    assert stepped.wait_for("nodes", "node-2", "condition=Ready")


def test_a_clock_that_runs_by_itself_is_not_moved(bare: memkube.Memkube) -> None:
    with pytest.raises(memkube.Refused, match="the clock is not stepped"):
        bare.clock.advance(1)


def test_what_the_control_api_refuses_is_refused(bare: memkube.Memkube, stepped: memkube.Memkube) -> None:
    for ask, code in (
        (lambda: bare.nodes.fail("node-1"), 501),
        (lambda: stepped.nodes.fail("node-9"), 404),
        (lambda: stepped.behaviors.delete("none"), 404),
        (lambda: stepped.behaviors.put("long", {"exitCode": 1000}), 422),
        (lambda: stepped.behaviors.put("no name", {}), 422),
        (lambda: bare.webhooks.delete(("shop", "hook", 443)), 404),
        (lambda: bare.webhooks.put(("shop", "hook", 443), 100_000), 422),
    ):
        with pytest.raises(memkube.Refused) as refusal:
            ask()
        assert refusal.value.code == code


def test_listeners_are_those_of_the_control_api(bare: memkube.Memkube) -> None:
    bare.webhooks.put(("shop", "hook", 443), 9443)
    assert httpx.get(f"{bare.url}/memkube/v1/services/shop/hook/443").json() == {"host": "127.0.0.1", "port": 9443}
    assert [(port.name, listener.port) for port, listener in bare.webhooks.all().items()] == [("hook", 9443)]
    bare.webhooks.delete(("shop", "hook", 443))
    assert bare.webhooks.all() == {}


def test_a_choice_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown controller 'deploymnt': did you mean 'deployment-controller'"):
        memkube.Memkube(controllers="deploymnt")


def test_plugins_are_turned_on_and_off() -> None:
    with memkube.Memkube(controllers=(), admission=["AlwaysPullImages", "-Priority"]) as kube:
        spec = kube.apply(_POD)[0]["spec"]
        assert (spec["containers"][0]["imagePullPolicy"], "priority" in spec) == ("Always", False)
