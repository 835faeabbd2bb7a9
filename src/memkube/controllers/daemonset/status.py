"""Computes the numbers of nodes and pods in the status of a DaemonSet (``updateDaemonSetStatus``)."""

from memkube.apimachinery.model import Document
from memkube.controllers.daemonset.view import View, age_order
from memkube.controllers.workloads.pod_state import is_ready


def counted_status(view: View) -> Document:
    """Return the status fields of a DaemonSet that count nodes and pods. `view` has its nodes and pods.

    If a node has several pods of the DaemonSet, only the first in `age_order` is counted.
    """
    names = ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady")
    counted = dict.fromkeys((*names, "updatedNumberScheduled", "numberAvailable"), 0)
    for node, decision in view.decisions.items():
        pods = view.pods.get(node)
        counted["desiredNumberScheduled"] += decision.runs
        if not pods:
            continue
        if not decision.runs:
            counted["numberMisscheduled"] += 1
            continue
        pod = min(pods, key=age_order)
        counted["currentNumberScheduled"] += 1
        counted["numberReady"] += is_ready(pod)
        counted["numberAvailable"] += view.is_available(pod)
        counted["updatedNumberScheduled"] += view.is_updated(pod)
    counted["numberUnavailable"] = counted["desiredNumberScheduled"] - counted["numberAvailable"]
    return counted
