"""Which budget a pod falls under, and taking one disruption out of it."""

from dataclasses import replace

from memkube.apimachinery import labels
from memkube.apimachinery.errors import ApiError, Cause, GroupResource, forbidden, too_many_requests
from memkube.apimachinery.meta.v1.condition import Condition, find_condition, with_condition
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget, PodDisruptionBudgetStatus
from memkube.registry.clock import written_now
from memkube.registry.interface import Stores
from memkube.registry.requests import ListOptions, WriteContext

MOST_DISRUPTED_PODS = 2000
_ALLOWED = "DisruptionAllowed"
_SERVER = "kube-apiserver"
_VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget."
_RETRY_SECONDS = 10


async def budgets_of(stores: Stores, pod: Pod) -> list[PodDisruptionBudget]:
    """The budgets of the pod's namespace whose selectors take the pod."""
    store = stores.find("policy", "v1", "poddisruptionbudgets")
    found = await store.list(pod.metadata.namespace, ListOptions())
    budgets = [PodDisruptionBudget.from_document(stored.document) for stored in found.items]
    return [budget for budget in budgets if _selects(budget, pod.metadata.labels)]


async def check_and_decrement(stores: Stores, budget: PodDisruptionBudget, pod: str, context: WriteContext) -> None:
    """Takes one disruption out of a budget for a pod (``checkAndDecrement``). Raises ApiError 403 and 429."""
    now = written_now(stores.clock)

    def decrement(newest: PodDisruptionBudget) -> None:
        _decrement(newest, now)
        newest.status.disruptedPods = {**newest.status.disruptedPods, pod: now}

    if context.dry_run:
        _decrement(budget, now)
        return
    server = replace(context, manager=_SERVER, dry_run=False, warnings=[])
    store = stores.find("policy", "v1", "poddisruptionbudgets")
    await store.update(budget.metadata.name, decrement, server, subresource="status")


def still_processed(budget: str) -> ApiError:
    """429: the budget does not yet know of what has happened."""
    cause = Cause("DisruptionBudget", f"The disruption budget {budget} is still being processed by the server.")
    return too_many_requests(_VIOLATION, _RETRY_SECONDS, (cause,))


def _selects(budget: PodDisruptionBudget, pod_labels: dict[str, str]) -> bool:
    try:
        return labels.from_model(budget.spec.selector).matches(pod_labels)
    except ValueError:
        return False


def _decrement(budget: PodDisruptionBudget, now: Time) -> None:
    status, name = budget.status, budget.metadata.name
    if status.observedGeneration < budget.metadata.generation:
        raise still_processed(name)
    resource = GroupResource("policy", "poddisruptionbudget")
    if status.disruptionsAllowed < 0:
        raise forbidden(resource, name, "pdb disruptions allowed is negative")
    if len(status.disruptedPods) > MOST_DISRUPTED_PODS:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise forbidden(resource, name, why)
    if status.disruptionsAllowed == 0:
        cause = Cause("DisruptionBudget", _why_not(name, status))
        raise too_many_requests(_VIOLATION, 0, (cause,))
    status.disruptionsAllowed -= 1
    if status.disruptionsAllowed == 0:
        _set_insufficient(budget, now)


def _why_not(name: str, status: PodDisruptionBudgetStatus) -> str:
    condition = find_condition(status.conditions, _ALLOWED)
    refused = condition is not None and condition.status == "False" and bool(condition.message)
    if condition is not None and refused and condition.reason == "SyncFailed":
        return (
            f"The disruption budget {name} does not allow evicting pods currently because it failed sync: "
            f"{condition.message}"
        )
    if status.currentHealthy <= status.desiredHealthy:
        needs = f"needs {status.desiredHealthy} healthy pods and has {status.currentHealthy} currently"
        return f"The disruption budget {name} {needs}"
    if condition is not None and refused:
        why = f"({condition.reason}): {condition.message}"
        return f"The disruption budget {name} does not allow evicting pods currently {why}"
    return f"The disruption budget {name} does not allow evicting pods currently"


def _set_insufficient(budget: PodDisruptionBudget, now: Time) -> None:
    """The budget says itself that it is spent."""
    status = budget.status
    spent = Condition(
        type=_ALLOWED, status="False", reason="InsufficientPods", observedGeneration=status.observedGeneration
    )
    status.conditions = with_condition(status.conditions, spent, now)
