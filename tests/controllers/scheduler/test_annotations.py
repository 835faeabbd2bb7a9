"""The annotations into which the scheduler writes its results, if the option is set."""

import json
from typing import Any

import memkube
from memkube.controllers.scheduler.annotations import FILTER_RESULT, SCORE_RESULT, SELECTED_NODE

CONTAINER: dict[str, Any] = {"name": "app", "image": "nginx"}


def annotations(*, cpu: str = "1", annotates: bool = True) -> dict[str, str]:
    """Return the annotations of a pod with this CPU request, in a cluster with one cordoned node."""
    with memkube.Memkube(nodes=2, clock="stepped", scheduler_annotations=annotates) as kube:
        kube.patch("nodes", "node-1", {"spec": {"unschedulable": True}})
        container = {**CONTAINER, "resources": {"requests": {"cpu": cpu}}}
        pod: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}
        pod["spec"] = {"containers": [container]}
        kube.create(pod)
        kube.clock.advance(1)
        found: dict[str, str] = kube.object("pods", "web")["metadata"].get("annotations", {})
        return found


def test_a_scheduled_pod_has_the_results_of_all_plugins() -> None:
    found = annotations()
    filtered = json.loads(found[FILTER_RESULT])
    assert filtered["node-1"]["NodeUnschedulable"] == "node(s) were unschedulable"
    assert set(filtered["node-2"].values()) == {"passed"}
    assert list(json.loads(found[SCORE_RESULT])) == ["node-2"]
    assert found[SELECTED_NODE] == "node-2"


def test_a_pod_that_fits_nowhere_has_the_reasons() -> None:
    found = annotations(cpu="1000")
    assert json.loads(found[FILTER_RESULT])["node-2"]["NodeResourcesFit"] == "Insufficient cpu"
    assert (found[SCORE_RESULT], found[SELECTED_NODE]) == ("{}", "")


def test_pods_have_no_annotations_otherwise() -> None:
    assert annotations(annotates=False) == {}
