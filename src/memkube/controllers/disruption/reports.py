"""What the disruption controller reports on budgets."""

from typing import Final

from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.shown_values import quoted
from memkube.controllers.event_recorder import Report
from memkube.registry.stored import StoredObject

NO_PODS: Final = Report("Normal", "NoPods", "No matching pods found")


def unmanaged_pods(selector: LabelSelector | None) -> Report:
    """Pods without a controller make percentages meaningless."""
    return Report(
        "Warning",
        "UnmanagedPods",
        f"Pods selected by this PodDisruptionBudget (selector: {_shown(selector)}) were found to be unmanaged. As a "
        "result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To "
        'account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    )


def not_counted(why: str) -> Report:
    """The number of pods that there should be is unknown."""
    message = f"Failed to calculate the number of expected pods: {why}"
    return Report("Warning", "CalculateExpectedPodCountFailed", message)


def not_deleted(namespace: str) -> Report:
    """A pod whose eviction was granted is still there. The reference tells the namespace in place of the budget."""
    message = f"Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't"
    return Report("Warning", "NotDeleted", message)


def several_budgets(pod: StoredObject, budget: str) -> Report:
    """More than one budget selects a pod, so that it cannot be evicted."""
    name = f"{quoted(pod.namespace)}/{quoted(pod.name)}"
    message = f"Pod {name} matches multiple PodDisruptionBudgets.  Chose {quoted(budget)} arbitrarily."
    return Report("Warning", "MultiplePodDisruptionBudgets", message)


def _shown(selector: LabelSelector | None) -> str:
    """A selector as Go prints it."""
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted(selector.matchLabels.items()))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{e.key},Operator:{e.operator},Values:[{' '.join(e.values)}],}},"
        for e in selector.matchExpressions
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
