"""What a job's conditions say."""

from collections.abc import Iterable

from memkube.apis.batch.v1.jobs.types.job import JobCondition


def is_true(conditions: Iterable[JobCondition], condition_type: str) -> bool:
    """Whether one of the conditions says so."""
    return any(condition.type == condition_type and condition.status == "True" for condition in conditions)


def is_finished(conditions: Iterable[JobCondition]) -> bool:
    """Whether the job has succeeded or failed."""
    return any(condition.type in ("Complete", "Failed") and condition.status == "True" for condition in conditions)
