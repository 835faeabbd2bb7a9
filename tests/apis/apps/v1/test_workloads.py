from typing import Any

import httpx
import pytest

from tests.apis.apps.v1.workloads import TEMPLATE, workload

MERGE = {"content-type": "application/merge-patch+json"}


@pytest.mark.parametrize("plural", ["replicasets", "deployments", "statefulsets"])
@pytest.mark.parametrize(
    ("change", "generation"),
    [
        ({"metadata": {"labels": {"a": "b"}}}, 1),
        ({"spec": {"replicas": 2}}, 2),
        ({"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}}, 2),
        ({"status": {"replicas": 9}}, 1),
    ],
)
def test_a_changed_spec_is_a_new_generation(
    client: httpx.Client, namespace: str, plural: str, change: dict[str, Any], generation: int
) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/{plural}"
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
    client.post(path, json={"metadata": {"name": "web"}, "spec": spec}).raise_for_status()
    changed = client.patch(f"{path}/web", json=change, headers=MERGE).json()
    assert changed["metadata"]["generation"] == generation
    assert not changed["status"].get("replicas")


def test_changed_annotations_of_a_deployment_are_a_new_generation(client: httpx.Client, namespace: str) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
    client.post(path, json={"metadata": {"name": "web"}, "spec": spec}).raise_for_status()
    changed = client.patch(f"{path}/web", json={"metadata": {"annotations": {"a": "b"}}}, headers=MERGE).json()
    assert changed["metadata"]["generation"] == 2


@pytest.mark.parametrize("kind", ["Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"])
def test_a_template_has_no_annotations_for_init_containers(kind: str) -> None:
    annotations = {"pod.beta.kubernetes.io/init-containers": "[]", "kept": "yes"}
    template = {**TEMPLATE, "metadata": {"labels": {"app": "web"}, "annotations": annotations}}
    selector = {"app": "web"} if kind == "ReplicationController" else {"matchLabels": {"app": "web"}}
    made = workload(kind, template=template, selector=selector)
    assert made.spec.template.metadata.annotations == {"kept": "yes"}
