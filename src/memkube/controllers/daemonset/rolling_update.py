"""Chooses the pods of a DaemonSet that a rolling update replaces next (``update.go``)."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memkube.controllers.daemonset.placement import Decision
from memkube.controllers.daemonset.plan import Plan, surge_count, unavailable_count
from memkube.controllers.daemonset.view import View
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.workloads.pod_state import is_terminating
from memkube.registry.objects.stored import StoredObject


class _Pods(NamedTuple):
    """The DaemonSet's pods on one node that are not terminating.

    The pod `new` has the present template, the pod `old` an earlier one.
    """

    new: StoredObject | None
    old: StoredObject | None


_NONE: Final = _Pods(None, None)


def plan_rolling_update(view: View) -> Plan:
    """Plan which old pods of a DaemonSet to delete, and on which nodes to create new pods beside old ones.

    `view` has the DaemonSet with its nodes and pods. Old pods have an earlier pod template than the present one.
    Raises TryAgain if an old pod is on a node that does not exist, so that no new pod can replace it.
    """
    desired = sum(decision.runs for decision in view.decisions.values())
    surge, unavailable = surge_count(view.document, desired), unavailable_count(view.document, desired)
    if surge:
        return _surge(view, surge, desired)
    return _replace(view, max(unavailable, 1) if desired else unavailable)


def _replace(view: View, most_unavailable: int) -> Plan:
    """Plan the deletion of old pods for a rolling update without ``maxSurge``.

    All unavailable old pods are deleted. Available old pods are deleted until `most_unavailable` nodes have no
    available pod.
    """
    unavailable = 0
    broken: list[StoredObject] = []
    candidates: list[StoredObject] = []
    for _, pods in _nodes(view):
        if pods is None or (pods.new is None) == (pods.old is None):
            unavailable += 1
        elif pods.new is not None:
            unavailable += not view.is_available(pods.new)
        elif pods.old is not None and view.is_available(pods.old):
            candidates.append(pods.old)
        elif pods.old is not None:
            broken.append(pods.old)
            unavailable += 1
    return Plan(surplus=broken + candidates[: max(most_unavailable - unavailable, 0)])


def _surge(view: View, most: int, desired: int) -> Plan:
    """Plan the pods to create and delete for a rolling update with ``maxSurge``.

    A new pod is created beside each old pod that is unavailable. Beside available old pods, new pods are created on at
    most `most` nodes at a time. When the new pod on a node is available, the old pod is deleted.

    `desired` is the number of nodes that should run a pod. Old pods on other nodes are deleted too. If such a pod is
    available, it is deleted only as long as at least `desired` pods remain available.
    """
    plan = Plan()
    candidates: list[str] = []
    misplaced: list[StoredObject] = []
    surging = available = 0
    for node, pods in _nodes(view):
        if pods is None:
            surging += 1
            continue
        counted = pods.old or pods.new
        is_available = counted is not None and view.is_available(counted)
        available += is_available
        if pods.old is None:
            continue
        if pods.new is not None:
            if view.is_available(pods.new):
                plan.surplus.append(pods.old)
            else:
                surging += 1
        elif not _decision(view, node).runs:
            (misplaced if is_available else plan.surplus).append(pods.old)
        else:
            (candidates if is_available else plan.nodes).append(node)
    plan.surplus += misplaced[: max(available - desired, 0)]
    plan.nodes += candidates[: max(most - surging, 0)]
    return plan


def _decision(view: View, node: str) -> Decision:
    decision = view.decisions.get(node)
    if decision is None:
        raise TryAgain
    return decision


def _nodes(view: View) -> Iterator[tuple[str, _Pods | None]]:
    """Yield each node that has or needs a pod of the DaemonSet, with its pods.

    The pods are None if the node has several old or several new pods.
    """
    for node, decision in view.decisions.items():
        if node in view.pods:
            yield node, _pods_of(view, view.pods[node])
        elif decision.runs:
            yield node, _NONE
    for node, pods in view.pods.items():
        if node not in view.decisions:
            yield node, _pods_of(view, pods)


def _pods_of(view: View, pods: Sequence[StoredObject]) -> _Pods | None:
    new: list[StoredObject] = []
    old: list[StoredObject] = []
    for pod in pods:
        if not is_terminating(pod):
            (new if view.is_updated(pod) else old).append(pod)
    if len(new) > 1 or len(old) > 1:
        return None
    return _Pods(new[0] if new else None, old[0] if old else None)
