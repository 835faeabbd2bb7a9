"""Computes the status of a PodDisruptionBudget from the pods that it selects and their controllers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError, GroupResource
from memkube.apimachinery.meta.v1.condition import Condition, find_condition, with_condition
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.policy.v1.poddisruptionbudgets.types import (
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
    PodDisruptionBudgetStatus,
)
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.owners import controller_reference
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.resource import Resource, ViewSubresource
from memkube.registry.objects.stored import StoredObject

_SCALED_BY_FIELD: Final = frozenset({("", "ReplicationController"), ("apps", "ReplicaSet"), ("apps", "StatefulSet")})
DELETION_TIMEOUT: Final = timedelta(minutes=2)
_ALLOWED: Final = "DisruptionAllowed"


class NoScale(Exception):
    """Raised if a budget's number of pods cannot be computed: a controller or its subresource ``scale`` does not exist.

    It is also raised for an invalid percentage. The message becomes the message of the PodDisruptionBudget's condition.
    """


class Scale(NamedTuple):
    """Uid and desired number of pods of a controller, such as a Deployment."""

    uid: str
    replicas: int


class Owners:
    """Finds the controllers of pods, and reads their desired numbers of pods."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def expected_pods(self, pods: Sequence[StoredObject]) -> tuple[int, list[str]]:
        """Return the total desired pods of the pods' controllers, and the names of pods without a controller.

        Raises NoScale if a controller or its subresource ``scale`` does not exist.
        """
        scales: dict[str, int] = {}
        unmanaged: list[str] = []
        for pod in pods:
            reference = controller_reference(pod.document)
            if reference is None:
                unmanaged.append(pod.name)
            elif reference["uid"] not in scales:
                scale = await self._scale(reference, pod.namespace)
                if scale is None:
                    raise NoScale(f"found no controllers for pod {quoted(pod.name)}")
                scales[scale.uid] = scale.replicas
        return sum(scales.values()), unmanaged

    async def _scale(self, reference: Document, namespace: str) -> Scale | None:
        kind = KindName.of(reference["apiVersion"], reference["kind"])
        resource = self._runtime.catalog.of_kind(kind)
        if resource is None:
            raise NoScale(f'no matches for kind "{kind.kind}" in version "{kind.api_version}"')
        owner = await self._owner(resource, namespace, reference)
        if (kind.group, kind.kind) not in _SCALED_BY_FIELD:
            return _shown_scale(resource, owner)
        if owner is None:
            return None
        if (kind.group, kind.kind) == ("apps", "ReplicaSet"):
            return await self._deployment_scale(owner, namespace) or _replicas(owner)
        return _replicas(owner)

    async def _deployment_scale(self, replica_set: StoredObject, namespace: str) -> Scale | None:
        """Return the scale of the Deployment that owns a ReplicaSet: rollouts change the ReplicaSet's own scale."""
        reference = controller_reference(replica_set.document)
        if reference is None or reference["kind"] != "Deployment":
            return None
        resource = self._runtime.resource(reference["apiVersion"], reference["kind"])
        if resource is None:
            return None
        deployment = await self._owner(resource, namespace, reference)
        return None if deployment is None else _replicas(deployment)

    async def _owner(self, resource: Resource, namespace: str, reference: Document) -> StoredObject | None:
        try:
            owner = await self._runtime.client.get(
                resource, namespace if resource.namespaced else "", reference["name"]
            )
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return None
        return owner if owner.uid == reference["uid"] else None


def _shown_scale(resource: Resource, owner: StoredObject | None) -> Scale | None:
    """Read the subresource ``scale`` of a controller; return None if the controller does not exist.

    Raises NoScale if the kind has no such subresource, or if it cannot be read.
    """
    part = resource.subresource("scale")
    if not isinstance(part, ViewSubresource):
        name = GroupResource(resource.group, resource.plural)
        raise NoScale(f"{name} does not implement the scale subresource")
    # The controller is looked up in the pod's namespace, so a cluster-scoped controller cannot be found.
    if owner is None or not resource.namespaced:
        return None
    try:
        scale = part.view.show(owner.document)
    except ApiError as error:
        raise NoScale(error.message) from None
    return Scale(owner.uid, scale["spec"].get("replicas", 0))


def _replicas(owner: StoredObject) -> Scale:
    return Scale(owner.uid, owner.document.get("spec", {}).get("replicas", 0))


@dataclass(frozen=True, slots=True)
class Expectation:
    """The number of pods that a PodDisruptionBudget expects, and the number of them that must stay healthy."""

    pods: int
    healthy: int
    unmanaged: Sequence[str] = ()
    """Names of the budget's pods without a controller; empty if the budget does not depend on controllers."""


@dataclass(slots=True)
class Disrupted:
    """The pods of a PodDisruptionBudget that still exist although their eviction was allowed."""

    pods: dict[str, Time | None] = field(default_factory=dict)
    next_expiry: datetime | None = None
    overdue: list[StoredObject] = field(default_factory=list)
    """Pods that still exist two minutes after their eviction was allowed."""


async def expectation(spec: PodDisruptionBudgetSpec, pods: Sequence[StoredObject], owners: Owners) -> Expectation:
    """Return the number of pods that a PodDisruptionBudget expects, and how many must stay healthy.

    `pods` are the pods that it selects, and `owners` finds their controllers. Raises NoScale if the controller of a
    pod, or its subresource ``scale``, does not exist, and for an invalid percentage.
    """
    if spec.maxUnavailable is not None:
        expected, unmanaged = await owners.expected_pods(pods)
        return Expectation(expected, max(expected - _share(spec.maxUnavailable, expected), 0), unmanaged)
    if isinstance(spec.minAvailable, str):
        expected, unmanaged = await owners.expected_pods(pods)
        return Expectation(expected, _share(spec.minAvailable, expected), unmanaged)
    if spec.minAvailable is not None:
        return Expectation(len(pods), spec.minAvailable)
    return Expectation(0, 0)


def disrupted_pods(status: PodDisruptionBudgetStatus, pods: Sequence[StoredObject], now: datetime) -> Disrupted:
    """Return the pods of a PodDisruptionBudget whose eviction was allowed, and that are not terminating yet.

    `status` has the time at which each eviction was allowed. Pods for which this is more than two minutes ago are
    returned separately, as `overdue`.
    """
    disrupted = Disrupted()
    for pod in pods:
        granted = status.disruptedPods.get(pod.name)
        if granted is None or _is_terminating(pod):
            continue
        expiry = granted.instant + DELETION_TIMEOUT
        if expiry <= now:
            disrupted.overdue.append(pod)
            continue
        disrupted.pods[pod.name] = granted
        disrupted.next_expiry = min(expiry, disrupted.next_expiry or expiry)
    return disrupted


def count(
    budget: PodDisruptionBudget, expected: Expectation, pods: Sequence[StoredObject], disrupted: Disrupted, now: Time
) -> None:
    """Write the numbers of pods and the condition DisruptionAllowed into the status of a PodDisruptionBudget.

    `expected` has the numbers of pods that must exist and be healthy, `pods` are the selected pods, and `disrupted`
    those of them whose eviction was allowed. Other conditions are kept.
    """
    status = budget.status
    before = _numbers(status)
    healthy = sum(not _is_terminating(pod) and pod.name not in disrupted.pods and _is_ready(pod) for pod in pods)
    allowed = max(healthy - expected.healthy, 0) if expected.pods > 0 else 0
    status.currentHealthy = healthy
    status.desiredHealthy = expected.healthy
    status.expectedPods = expected.pods
    status.disruptionsAllowed = allowed
    status.disruptedPods = disrupted.pods
    status.observedGeneration = budget.metadata.generation
    old = find_condition(status.conditions, _ALLOWED)
    fresh = Condition(
        type=_ALLOWED,
        status="True" if allowed else "False",
        reason="SufficientPods" if allowed else "InsufficientPods",
        observedGeneration=status.observedGeneration,
    )
    if old is None or _verdict(old) != _verdict(fresh) or _numbers(status) != before:
        status.conditions = with_condition(status.conditions, fresh, now)


def _verdict(condition: Condition) -> object:
    return condition.status, condition.reason, condition.observedGeneration


def fail(status: PodDisruptionBudgetStatus, why: str, now: Time) -> None:
    """Set the allowed disruptions of a PodDisruptionBudget to 0, because its pods could not be counted.

    `why` is the message of the condition DisruptionAllowed, which becomes False.
    """
    status.disruptionsAllowed = 0
    failed = Condition(
        type=_ALLOWED,
        status="False",
        reason="SyncFailed",
        message=why,
        observedGeneration=status.observedGeneration,
    )
    status.conditions = with_condition(status.conditions, failed, now)


def _numbers(status: PodDisruptionBudgetStatus) -> object:
    return status.model_copy(update={"conditions": []})


def _share(amount: int | str, total: int) -> int:
    """Convert `amount`, an IntOrString such as ``minAvailable``, to a number of pods.

    A percentage is one of `total` pods, and is rounded up. Raises NoScale for an invalid value.
    """
    if isinstance(amount, int):
        return amount
    digits = amount.removesuffix("%")
    if digits == amount or not digits.isdigit():
        raise NoScale("invalid value for IntOrString: invalid type: string is not a percentage")
    return -(-int(digits) * total // 100)


def _is_terminating(pod: StoredObject) -> bool:
    return "deletionTimestamp" in pod.document["metadata"]


def _is_ready(pod: StoredObject) -> bool:
    conditions = pod.document["status"].get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
