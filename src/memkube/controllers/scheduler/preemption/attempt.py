"""Finds the node where the least is lost when pods are evicted for another one (``preemption.go``: Preempt)."""

from typing import Final, NamedTuple

from memkube.controllers.scheduler.filtering import Filtering
from memkube.controllers.scheduler.framework import Rejection, Situation
from memkube.controllers.scheduler.misfit import Misfit
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.preemption.budgets import Budgets
from memkube.controllers.scheduler.preemption.importance import Importance
from memkube.controllers.scheduler.preemption.victims import NO_VICTIMS, NOT_HELPFUL, Victims, find_victims

_LEAST_CANDIDATES: Final = 100
_CANDIDATE_SHARE: Final = 10
_PREFIX: Final = "no new claims to deallocate, preemption: "
"""What is told before: what another plugin had to say, and who speaks."""
_LEAST_PRIORITY: Final = -(2**31)


class Attempt(NamedTuple):
    """What came of it."""

    message: str = ""
    """Why nobody can be evicted; empty where somebody can."""
    promised_node: str | None = None
    """The node that the pod is to wait for; empty for none any more, None where that stays as it is."""
    victims: Victims | None = None


def attempt(situation: Situation, filtering: Filtering, misfit: Misfit, importance: Importance) -> Attempt:
    """Looks for pods to evict for one that fits nowhere."""
    why = _not_eligible(situation, misfit)
    if why:
        return Attempt(f"{_PREFIX}not eligible due to {why}.")
    candidates, rejections = _candidates(situation, filtering, misfit, importance)
    if not candidates:
        number = len(situation.cluster.nodes)
        return Attempt(_PREFIX + Misfit(number, rejections, NOT_HELPFUL).message(), "")
    best = min(candidates, key=lambda victims: _loss(victims, importance))
    return Attempt("", best.node, best)


def _not_eligible(situation: Situation, misfit: Misfit) -> str:
    """Why a pod may not have others evicted, if it may not."""
    pod, cluster, _ = situation
    if pod.spec.get("preemptionPolicy") == "Never":
        return "preemptionPolicy=Never"
    promised = cluster.node(cluster.nominations.node_of(pod.uid))
    if promised is None:
        return ""
    rejection = misfit.rejections.get(promised.name)
    if rejection is None or not rejection.resolvable:
        return ""
    leaving = (other for other in promised.pods.values() if other.priority < pod.priority)
    return "a terminating pod on the nominated node" if any(map(_is_being_evicted, leaving)) else ""


def _is_being_evicted(pod: PodInfo) -> bool:
    conditions = pod.stored.document["status"].get("conditions") or ()
    return pod.terminating and any(
        c["type"] == "DisruptionTarget" and c["status"] == "True" and c.get("reason") == "PreemptionByScheduler"
        for c in conditions
    )


def _candidates(
    situation: Situation, filtering: Filtering, misfit: Misfit, importance: Importance
) -> tuple[list[Victims], dict[str, Rejection]]:
    """Whom the pod could have evicted where, and why not where it could not."""
    pod, cluster, surroundings = situation
    rejections = misfit.rejections
    nodes = [node for node in cluster.nodes if node.name in rejections and rejections[node.name].resolvable]
    if not cluster.has_less_important(pod.priority):
        return [], {node.name: NO_VICTIMS for node in nodes}
    budgets = Budgets(surroundings.budgets)
    found: list[Victims] = []
    in_vain: dict[str, Rejection] = {}
    for node in nodes:
        victims = find_victims(pod, filtering, node, budgets, importance)
        if isinstance(victims, Victims):
            found.append(victims)
            if _is_enough(found, nodes):
                break
        else:
            in_vain[node.name] = victims
    return found, in_vain


def _is_enough(found: list[Victims], nodes: list[NodeInfo]) -> bool:
    enough = max(len(nodes) * _CANDIDATE_SHARE // 100, _LEAST_CANDIDATES)
    return len(found) >= enough and any(not victims.violations for victims in found)


def _loss(victims: Victims, importance: Importance) -> tuple[int, int, int, int, float]:
    """Greater where more is lost; pods that began to run late are the smaller loss."""
    pods = victims.pods
    return (
        victims.violations,
        pods[0].priority,
        sum(pod.priority - _LEAST_PRIORITY for pod in pods),
        len(pods),
        -importance.earliest_start(pods),
    )
