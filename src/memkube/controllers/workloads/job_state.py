"""State of a Job, for the Job controller and other controllers (``pkg/controller/job/util``)."""

from typing import Any

from memkube.registry.objects.stored import StoredObject


def end_condition(job: StoredObject) -> dict[str, Any] | None:
    """Return the Job's condition Complete or Failed with status True, or None if the Job has not finished."""
    conditions: list[dict[str, Any]] = job.document["status"].get("conditions") or []
    ends = (each for each in conditions if each["type"] in ("Complete", "Failed") and each["status"] == "True")
    return next(ends, None)


def is_finished(job: StoredObject) -> bool:
    """True if the Job has succeeded or failed."""
    return end_condition(job) is not None
