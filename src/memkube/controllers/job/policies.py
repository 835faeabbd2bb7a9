"""Conditions of Jobs, and their pod failure and success policies (``pod_failure_policy.go``)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.time import Time
from memkube.apis.batch.v1.jobs.types import Job, JobCondition, JobStatus, PodFailurePolicyRule
from memkube.apis.batch.v1.jobs.types import PodFailurePolicyOnExitCodesRequirement as ExitCodes
from memkube.controllers.job.pods import Indexes, ended_at
from memkube.registry.objects.stored import StoredObject

COMPLETE: Final = "Complete"
FAILED: Final = "Failed"
FAILURE_TARGET: Final = "FailureTarget"
SUCCESS_CRITERIA_MET: Final = "SuccessCriteriaMet"
SUSPENDED: Final = "Suspended"
_THIS: Final = "kubernetes.io/job-controller"
_FIRST: Final = timedelta(seconds=10)
_LONGEST: Final = timedelta(minutes=10)


def condition(condition_type: str, reason: str, message: str, now: Time, status: str = "True") -> JobCondition:
    """Return a condition for the status of a Job. The condition's lastTransitionTime is `now`."""
    return JobCondition(
        type=condition_type,
        status=status,
        lastProbeTime=now,
        lastTransitionTime=now,
        reason=reason,
        message=message,
    )


def found_true(status: JobStatus, condition_type: str) -> JobCondition | None:
    """Return the condition `condition_type` in a Job's status, such as Complete, if it is True; otherwise None."""
    condition = find_condition(status.conditions, condition_type)
    return condition if condition is not None and condition.status == "True" else None


def ensure(status: JobStatus, new: JobCondition) -> bool:
    """Set a condition in the Job's status. Returns True if that changed the conditions.

    A condition with the status False is only set if a condition of its type exists.
    """
    current = find_condition(status.conditions, new.type)
    if current is None:
        if new.status == "False":
            return False
        status.conditions = [*status.conditions, new]
        return True
    if (current.status, current.reason, current.message) == (new.status, new.reason, new.message):
        return False
    status.conditions = [new if each is current else each for each in status.conditions]
    return True


def is_managed_elsewhere(job: StoredObject) -> bool:
    """True if the Job's ``managedBy`` names another controller."""
    manager: str = job.document["spec"].get("managedBy", _THIS)
    return manager != _THIS


@dataclass(frozen=True, slots=True)
class Backoff:
    """Number of the Job's failed pods since the last success, and time of the last failure, for its back-off."""

    failures: int = 0
    last: datetime | None = None

    def after(self, succeeded: Iterable[StoredObject], failed: Iterable[StoredObject]) -> "Backoff":
        """Return the Job's back-off state after the pods `succeeded` and `failed` have ended.

        Only failures after the last success count.
        """
        failures, success = sorted(map(ended_at, failed)), max(map(ended_at, succeeded), default=None)
        if success is not None:
            later = [moment for moment in failures if moment > success]
            return Backoff(len(later), later[-1] if later else None)
        return Backoff(self.failures + len(failures), failures[-1]) if failures else self

    def seconds_left(self, now: datetime) -> float:
        """Return the seconds until the Job may create a pod again.

        The delay is 10 seconds after one failure, and doubles with each further failure up to 10 minutes.
        """
        if self.last is None:
            return 0
        # Limit the exponent to avoid huge numbers: with an exponent of 16, the delay has long reached its maximum.
        delay: timedelta = min(_FIRST * 2 ** min(self.failures - 1, 16), _LONGEST)
        return max((self.last + delay - now).total_seconds(), 0)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Consequences of a pod's failure for its Job: whether it counts, and whether an index or the Job fails."""

    counts: bool = True
    """True if the failure counts towards ``backoffLimit`` and ``backoffLimitPerIndex`` of the Job."""
    fails_index: bool = False
    """True if the completion index of the pod fails, so that no pod with this index is created again."""
    fails_job: str | None = None
    """Message with which the whole Job fails, or None if the Job continues."""


def verdict_on(pod: StoredObject, job: Job) -> Verdict:
    """Return the consequences of the failure of `pod` for its Job, by the first matching rule of the failure policy.

    If no rule matches the pod, the failure counts towards the back-off limits.
    """
    policy = job.spec.podFailurePolicy
    for position, rule in enumerate(policy.rules if policy else ()):
        found = _found(pod, rule)
        if found is None:
            continue
        match rule.action:
            case "Ignore":
                return Verdict(counts=False)
            case "FailIndex":
                return Verdict(fails_index=True)
            case "FailJob":
                return Verdict(fails_job=f"{found} matching FailJob rule at index {position}")
            case _:
                return Verdict()
    return Verdict()


def met_success_policy(job: Job, succeeded: Indexes) -> str | None:
    """Return the message about the first rule of the success policy that a Job meets, or None if it meets none.

    `succeeded` are the completion indexes whose pods have succeeded.
    """
    policy = job.spec.successPolicy
    if policy is None or not succeeded:
        return None
    for position, rule in enumerate(policy.rules):
        message = f"Matched rules at index {position}"
        if rule.succeededIndexes is None:
            if rule.succeededCount is not None and len(succeeded) >= rule.succeededCount:
                return message
            continue
        wanted = Indexes.parse(rule.succeededIndexes, job.spec.completions or 0)
        enough = len(wanted) if rule.succeededCount is None else min(rule.succeededCount, len(wanted))
        if wanted and wanted.overlap(succeeded) >= enough:
            return message
    return None


def _found(pod: StoredObject, rule: PodFailurePolicyRule) -> str | None:
    """Return which exit code or condition of the pod matches a failure policy rule, or None if none matches."""
    status = pod.document["status"]
    if rule.onExitCodes is not None:
        container = _fitting_container(status, rule.onExitCodes)
        if container is None:
            return None
        code = container["state"]["terminated"]["exitCode"]
        return f"Container {container['name']} for pod {pod.namespace}/{pod.name} failed with exit code {code}"
    patterns = {(pattern.type, pattern.status) for pattern in rule.onPodConditions}
    conditions = (c["type"] for c in status.get("conditions") or [] if (c["type"], c["status"]) in patterns)
    condition = next(conditions, None)
    return None if condition is None else f"Pod {pod.namespace}/{pod.name} has condition {condition}"


def _fitting_container(status: dict[str, Any], codes: ExitCodes) -> dict[str, Any] | None:
    containers = [*(status.get("containerStatuses") or []), *(status.get("initContainerStatuses") or [])]
    for container in containers:
        code = ((container.get("state") or {}).get("terminated") or {}).get("exitCode", 0)
        named = codes.containerName is None or codes.containerName == container["name"]
        if code and named and (code in codes.values) == (codes.operator == "In"):
            return dict(container)
    return None
