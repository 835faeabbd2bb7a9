"""Ansible creates, checks, previews, changes, scales, rolls back and drains a whole application."""

import json
from collections.abc import Iterator

import pytest

from memkube.cluster.synchronous import Memkube
from tests.clients.ansible.playbook import Ansible, Play, needs_ansible

pytestmark = [pytest.mark.slow, needs_ansible]

_CHANGED = [
    "what it needs is there",
    "the deployment is applied on the server's side and rolled out",
    "a service is in front of it",
]
_READ = ["its pods are ready"]


@pytest.fixture(scope="module")
def kube() -> Iterator[Memkube]:
    """A cluster with two nodes, one of which a test drains."""
    with Memkube(nodes=2) as started:
        yield started


@pytest.fixture(scope="module")
def ansible(kube: Memkube, tmp_path_factory: pytest.TempPathFactory) -> Ansible:
    return Ansible(kube.kubeconfig, tmp_path_factory.mktemp("ansible"))


@pytest.fixture(scope="module")
def first(ansible: Ansible) -> Play:
    """The result of the play's first run."""
    return ansible.play_file("application.yaml")


def test_a_play_brings_the_application_up(first: Play) -> None:
    assert first.outcomes() == {**dict.fromkeys(_CHANGED, "changed"), **dict.fromkeys(_READ, "ok")}
    assert len(first.result("its pods are ready")["resources"]) == 2


@pytest.mark.usefixtures("first")
def test_a_second_run_changes_nothing(ansible: Ansible, kube: Memkube) -> None:
    before = kube.revision()
    assert ansible.play_file("application.yaml").outcomes() == dict.fromkeys([*_CHANGED, *_READ], "ok")
    assert kube.changes_since(before) == []


@pytest.mark.usefixtures("first")
def test_check_mode_shows_the_difference_and_makes_none(ansible: Ansible, kube: Memkube) -> None:
    before = kube.revision()
    play = ansible.play_file("application.yaml", "--check", "--diff", "-e", "replicas=3 colour=green")
    assert [name for name, outcome in play.outcomes().items() if outcome == "changed"] == _CHANGED[:2]
    assert play.result(_CHANGED[0])["result"]["results"][1]["diff"]["after"]["data"] == {"colour": "green"}
    assert play.result(_CHANGED[1])["diff"]["before"]["spec"] == {"replicas": 2}
    assert play.result(_CHANGED[1])["diff"]["after"]["spec"] == {"replicas": 3}
    assert kube.changes_since(before) == []


@pytest.mark.usefixtures("first")
def test_a_field_that_another_manager_owns_is_a_conflict_until_it_is_forced(ansible: Ansible) -> None:
    play = ansible.play("""
- name: another one scales it
  kubernetes.core.k8s: &deployment
    apply: true
    server_side_apply: {field_manager: autoscaler}
    definition: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 4}}
  ignore_errors: true
- name: another one scales it by force
  kubernetes.core.k8s:
    <<: *deployment
    server_side_apply: {field_manager: autoscaler, force_conflicts: true}
- name: the guarded scale finds another number
  kubernetes.core.k8s_scale: {kind: Deployment, name: web, namespace: shop, replicas: 3, current_replicas: 2}
- name: the scale is waited for
  kubernetes.core.k8s_scale:
    {api_version: apps/v1, kind: Deployment, name: web, namespace: shop, replicas: 2, wait: true, wait_timeout: 120}
""")
    assert list(play.outcomes().values()) == ["ignored", "changed", "ok", "changed"]
    refusal = json.loads(play.result("another one scales it")["msg"].removeprefix("Failed to apply object: "))
    assert refusal["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "ansible"', "field": ".spec.replicas"}
    ]


@pytest.mark.usefixtures("first")
def test_a_rollout_that_cannot_pull_fails_after_its_time_and_is_undone(ansible: Ansible, kube: Memkube) -> None:
    kube.behaviors.put("missing", {"image": "nginx:missing", "pullError": "manifest unknown"})
    play = ansible.play("""
- name: the new image is waited for
  kubernetes.core.k8s:
    state: patched
    kind: Deployment
    api_version: apps/v1
    name: web
    namespace: shop
    definition: {spec: {template: {spec: {containers: [{name: web, image: "nginx:missing"}]}}}}
    wait: true
    wait_timeout: 3
  ignore_errors: true
- name: it is rolled back
  kubernetes.core.k8s_rollback: {api_version: apps/v1, kind: Deployment, name: web, namespace: shop}
- name: it is rolled out again
  kubernetes.core.k8s_info: {api_version: apps/v1, kind: Deployment, name: web, namespace: shop, wait: true}
""")
    assert list(play.outcomes().values()) == ["ignored", "changed", "ok"]
    assert play.result("the new image is waited for")["msg"] == '"Deployment" "web": Timed out waiting on resource'
    (deployment,) = play.result("it is rolled out again")["resources"]
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1"
    assert deployment["status"]["updatedReplicas"] == 2


@pytest.mark.usefixtures("first")
def test_a_drain_is_refused_by_the_budget_and_succeeds_when_there_are_more_pods(
    ansible: Ansible, kube: Memkube
) -> None:
    play = ansible.play("""
- name: the budget keeps both pods
  kubernetes.core.k8s_json_patch: &budget
    api_version: policy/v1
    kind: PodDisruptionBudget
    name: web
    namespace: shop
    patch: [{op: replace, path: /spec/minAvailable, value: 2}]
    wait: true
    wait_timeout: 120
- name: the node is drained too early
  kubernetes.core.k8s_drain: &drain
    name: node-1
    delete_options: {ignore_daemonsets: true, terminate_grace_period: 1, wait_timeout: 120, wait_sleep: 1}
  ignore_errors: true
- name: there are more pods
  kubernetes.core.k8s_scale:
    {api_version: apps/v1, kind: Deployment, name: web, namespace: shop, replicas: 3, wait: true, wait_timeout: 120}
- name: the node is drained
  kubernetes.core.k8s_drain: *drain
- name: it is marked already
  kubernetes.core.k8s_drain: {name: node-1, state: cordon}
""")
    assert list(play.outcomes().values()) == ["changed", "ignored", "changed", "changed", "ok"]
    assert play.result("the node is drained too early")["msg"].endswith(
        "due to: Cannot evict pod as it would violate the pod's disruption budget."
    )
    kube.wait_for("deployments", "web", "condition=Available", namespace="shop")
    assert {pod["spec"]["nodeName"] for pod in kube.objects("pods", "shop")} == {"node-2"}
