from typing import Any

import httpx

from memkube.apis.core.v1.replicationcontrollers.strategy import ReplicationControllerStrategy
from tests.apis.apps.v1.workloads import TEMPLATE, workload

PROSE = "must be >= 0; negative values are invalid and will be treated as 1"


def controller(generation: int, **spec: Any) -> Any:
    template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], **spec}}
    made = workload("ReplicationController", selector={"app": "web"}, template=template)
    made.metadata.generation = generation
    return made


def test_an_update_warns_of_the_template_that_it_replaces() -> None:
    odd, plain = controller(1, terminationGracePeriodSeconds=-1), controller(2)
    strategy, path = ReplicationControllerStrategy(), "spec.template.spec.terminationGracePeriodSeconds"
    assert strategy.warnings_on_update(plain, odd) == [f"{path}: {PROSE}"]
    assert strategy.warnings_on_update(odd, plain) == []


def test_a_status_is_written_with_the_labels_of_the_template(client: httpx.Client, namespace: str) -> None:
    path, name = f"/api/v1/namespaces/{namespace}/replicationcontrollers", {"metadata": {"name": "web"}}
    client.post(path, json={**name, "spec": {"template": TEMPLATE}})
    answer = client.put(f"{path}/web/status", json={**name, "status": {"replicas": 1}})
    assert answer.json()["metadata"]["labels"] == TEMPLATE["metadata"]["labels"]
