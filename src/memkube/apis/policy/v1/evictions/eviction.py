"""The ``eviction`` subresource of pods: deletes a pod if its PodDisruptionBudgets allow it.

Source: ``pkg/registry/core/pod/storage/eviction.go``.
"""

from dataclasses import replace

from pydantic import Field

from memkube.apimachinery import labels
from memkube.apimachinery.errors import (
    ApiError,
    Cause,
    GroupResource,
    bad_request,
    forbidden,
    invalid,
    too_many_requests,
    unclassified,
)
from memkube.apimachinery.field_errors import invalid as invalid_value
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition, find_condition, with_condition
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.status import is_ready, set_condition
from memkube.apis.core.v1.pods.types import Pod, PodCondition
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget, PodDisruptionBudgetStatus
from memkube.registry.declarations.interface import Created, Stores
from memkube.registry.declarations.request_options import EVERYTHING, WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import check_record
from memkube.time.clock import written_now

_POD = GroupResource("", "Pod")
_SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
_ENDED = ("Succeeded", "Failed")
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_ATTEMPTS = 20
MOST_DISRUPTED_PODS = 2000
_ALLOWED = "DisruptionAllowed"
_SERVER = "kube-apiserver"
_VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget."
_RETRY_SECONDS = 10


class Eviction(ApiObject):
    """A request to delete a pod if its PodDisruptionBudgets allow it."""

    deleteOptions: DeleteOptions | None = Field(
        default=None, description="Options for deleting the pod, such as the grace period and preconditions."
    )


async def evict(stores: Stores, name: str, obj: Eviction, context: WriteContext) -> Created:
    """Evict a pod if its PodDisruptionBudget allows it.

    Raises ApiError with one of these codes:

    - 400 or 422: the request is invalid.
    - 403: the budget records too many disrupted pods.
    - 404: the pod does not exist.
    - 409: the pod changes too often, or does not meet the preconditions of the request.
    - 429: the budget does not allow the eviction, or its status is outdated.
    - 500: several budgets match the pod, or the request and the Eviction ask for different dry runs.
    """
    if obj.metadata.name != name:
        raise bad_request("name in URL does not match name in Eviction object")
    options = _delete_options(obj, context)
    await context.validate_admission()
    return await _Evicting(stores, name, options, context).run()


def _delete_options(eviction: Eviction, context: WriteContext) -> DeleteOptions:
    options = eviction.deleteOptions or DeleteOptions()
    if options.ignoreStoreReadErrorWithClusterBreakingPotential:
        path = "deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential"
        why = "can not be set for pod eviction, try after removing the option"
        raise invalid("policy", "Eviction", eviction.metadata.name, [invalid_value(path, True, why)])
    asked = ["All"] if context.dry_run else []
    if not options.dryRun:
        options.dryRun = asked
    elif asked and options.dryRun != asked:
        raise unclassified(
            f"Non-matching dry-run options in request and content: [{' '.join(asked)}] and [{' '.join(options.dryRun)}]"
        )
    return options


class _Evicting:
    """One eviction of a pod while it is processed: the pod, the request, and the objects it needs."""

    def __init__(self, stores: Stores, name: str, options: DeleteOptions, context: WriteContext) -> None:
        self._stores = stores
        self._pods = stores.find("", "v1", "pods")
        self._name = name
        self._options = options
        self._context = replace(context, dry_run=bool(options.dryRun), warnings=[], admitted=True)

    async def run(self) -> Created:
        pod = await self._pod()
        if _needs_no_budget(pod):
            await self._delete_without_budget()
            return Created(_SUCCESS)
        budgets = await budgets_of(self._stores, pod)
        if len(budgets) > 1:
            raise unclassified(_SEVERAL)
        if not budgets:
            await self._delete(self._options)
            return Created(_SUCCESS)
        budget = budgets[0]
        if _may_evict_unhealthy(pod, budget):
            await self._delete_if_unchanged(pod, budget.metadata.name)
        else:
            await check_and_decrement(self._stores, budget, self._name, self._context)
            await self._delete(self._options)
        return Created(_SUCCESS)

    async def _pod(self) -> Pod:
        stored = await self._pods.get(self._context.namespace, self._name)
        return Pod.from_document(stored.document)

    async def _delete_without_budget(self) -> None:
        """Delete a pod to which no budget applies; retry if the pod changes before its deletion."""
        pinned = self._options.preconditions is not None and self._options.preconditions.resourceVersion is not None
        for attempt in range(_ATTEMPTS):
            pod = await self._pod()
            ended = pod.status.phase in _ENDED or pod.metadata.deletionTimestamp is not None
            try:
                await self._delete(self._options if ended or pinned else self._at_version(pod))
                return
            except ApiError as error:
                if error.reason != "Conflict" or pinned or attempt == _ATTEMPTS - 1:
                    raise

    async def _delete_if_unchanged(self, pod: Pod, budget: str) -> None:
        """Delete an unhealthy pod without decrementing its budget, if it is unchanged since its health was checked.

        If the pod has changed, raises ApiError 409 if the client requires a resource version, otherwise ApiError 429.
        """
        preconditions = self._options.preconditions
        pinned = preconditions is not None and preconditions.resourceVersion is not None
        try:
            await self._delete(self._at_version(pod))
        except ApiError as error:
            if error.reason == "Conflict" and not pinned:
                raise still_processed(budget) from None
            raise

    def _at_version(self, pod: Pod) -> DeleteOptions:
        options = self._options.model_copy(deep=True)
        options.preconditions = options.preconditions or Preconditions()
        options.preconditions.resourceVersion = pod.metadata.resourceVersion
        return options

    async def _delete(self, asked: DeleteOptions) -> None:
        options = asked.model_copy(deep=True)
        if not self._context.dry_run:
            marked = await self._mark(options.preconditions)
            if options.preconditions is not None and options.preconditions.resourceVersion is not None:
                options.preconditions.resourceVersion = marked.resource_version
        await self._pods.delete(self._name, options, self._context)

    async def _mark(self, preconditions: Preconditions | None) -> StoredObject:
        """Set the condition DisruptionTarget in the status of the pod that is evicted, and return the updated pod.

        Raises ApiError 409 if the pod does not meet the preconditions of the eviction.
        """

        def mark(pod: Pod) -> None:
            if preconditions is not None:
                check_record(_POD, pod, _without_empty(preconditions))
            condition = PodCondition(
                type="DisruptionTarget",
                status="True",
                reason="EvictionByEvictionAPI",
                message="Eviction API: evicting",
            )
            set_condition(pod.status, condition, written_now(self._stores.clock))

        return await self._pods.update(self._name, mark, self._context, subresource="status", owned=False)


def _without_empty(preconditions: Preconditions) -> Preconditions:
    """Return the preconditions of an eviction without empty values.

    As in kube-apiserver, the update of the pod's status, which precedes the deletion, ignores empty values. The
    deletion of the pod does not ignore them.
    """
    return Preconditions(uid=preconditions.uid or None, resourceVersion=preconditions.resourceVersion or None)


def _needs_no_budget(pod: Pod) -> bool:
    return pod.status.phase in (*_ENDED, "Pending") or pod.metadata.deletionTimestamp is not None


def _may_evict_unhealthy(pod: Pod, budget: PodDisruptionBudget) -> bool:
    if is_ready(pod.status):
        return False
    status = budget.status
    enough = status.currentHealthy >= status.desiredHealthy > 0
    return budget.spec.unhealthyPodEvictionPolicy == "AlwaysAllow" or enough


async def budgets_of(stores: Stores, pod: Pod) -> list[PodDisruptionBudget]:
    """Return the PodDisruptionBudgets of the pod's namespace whose selectors match the pod."""
    store = stores.find("policy", "v1", "poddisruptionbudgets")
    found = await store.list(pod.metadata.namespace, EVERYTHING)
    budgets = [PodDisruptionBudget.from_document(stored.document) for stored in found.items]
    return [budget for budget in budgets if _selects(budget, pod.metadata.labels)]


async def check_and_decrement(stores: Stores, budget: PodDisruptionBudget, pod: str, context: WriteContext) -> None:
    """Decrement the number of disruptions that a PodDisruptionBudget allows (``checkAndDecrement``).

    Raises ApiError 429 if the budget allows no disruption or its status is outdated, and 403 if the budget records too
    many disrupted pods.
    """
    now = written_now(stores.clock)

    def decrement(newest: PodDisruptionBudget) -> None:
        _decrement(newest, now)
        newest.status.disruptedPods = {**newest.status.disruptedPods, pod: now}

    if context.dry_run:
        _decrement(budget, now)
        return
    server = WriteContext(namespace=context.namespace, manager=_SERVER)
    store = stores.find("policy", "v1", "poddisruptionbudgets")
    await store.update(budget.metadata.name, decrement, server, subresource="status")


def still_processed(budget: str) -> ApiError:
    """Return the ApiError 429 for a budget whose status does not reflect its newest spec yet."""
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
        cause = Cause("DisruptionBudget", _refusal_reason(name, status))
        raise too_many_requests(_VIOLATION, 0, (cause,))
    status.disruptionsAllowed -= 1
    if status.disruptionsAllowed == 0:
        _set_insufficient(budget, now)


def _refusal_reason(name: str, status: PodDisruptionBudgetStatus) -> str:
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
    """Set the condition DisruptionAllowed of a PodDisruptionBudget to False."""
    status = budget.status
    spent = Condition(
        type=_ALLOWED, status="False", reason="InsufficientPods", observedGeneration=status.observedGeneration
    )
    status.conditions = with_condition(status.conditions, spent, now)
