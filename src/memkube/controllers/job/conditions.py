"""Conditions of Jobs, in the words of the reference."""

from typing import Final

from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.time import Time
from memkube.apis.batch.v1.jobs.types import JobCondition, JobStatus

COMPLETE: Final = "Complete"
FAILED: Final = "Failed"
FAILURE_TARGET: Final = "FailureTarget"
SUCCESS_CRITERIA_MET: Final = "SuccessCriteriaMet"
SUSPENDED: Final = "Suspended"


def condition(condition_type: str, reason: str, message: str, now: Time, status: str = "True") -> JobCondition:
    """A condition as of now."""
    return JobCondition(
        type=condition_type,
        status=status,
        lastProbeTime=now,
        lastTransitionTime=now,
        reason=reason,
        message=message,
    )


def found_true(status: JobStatus, condition_type: str) -> JobCondition | None:
    """The condition of this type, if it is true."""
    condition = find_condition(status.conditions, condition_type)
    return condition if condition is not None and condition.status == "True" else None


def ensure(status: JobStatus, new: JobCondition) -> bool:
    """Puts a condition in the place of the one of its type; one that is false is not added. Whether that changes it."""
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
