import pytest

from tests.apis.apps.v1.workloads import TEMPLATE, workload


@pytest.mark.parametrize("kind", ["Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"])
def test_a_template_has_no_annotations_for_init_containers(kind: str) -> None:
    annotations = {"pod.beta.kubernetes.io/init-containers": "[]", "kept": "yes"}
    template = {**TEMPLATE, "metadata": {"labels": {"app": "web"}, "annotations": annotations}}
    selector = {"app": "web"} if kind == "ReplicationController" else {"matchLabels": {"app": "web"}}
    made = workload(kind, template=template, selector=selector)
    assert made.spec.template.metadata.annotations == {"kept": "yes"}
