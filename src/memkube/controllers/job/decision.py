"""Decides when a Job ends (``syncJob`` of ``job_controller.go``)."""

from datetime import timedelta

from memkube.apis.batch.v1.jobs.types import JobCondition
from memkube.controllers.job.pods import JobPod
from memkube.controllers.job.policies import (
    FAILED,
    FAILURE_TARGET,
    SUCCESS_CRITERIA_MET,
    condition,
    found_true,
    met_success_policy,
    verdict_on,
)
from memkube.controllers.job.progress import Progress


def ending_condition(progress: Progress) -> JobCondition | None:
    """Return the condition with which a Job fails, or succeeds by its success policy; None if it continues.

    `progress` has the Job and the numbers of its pods. A condition that an earlier reconciliation has set is kept.
    """
    status = progress.job.status
    decided = found_true(status, SUCCESS_CRITERIA_MET)
    if decided is not None:
        return decided
    failing = found_true(status, FAILURE_TARGET)
    if failing is not None:
        return condition(FAILED, failing.reason, failing.message, progress.written)
    failure = _failure(progress)
    if failure is not None:
        return condition(FAILURE_TARGET, *failure, progress.written)
    message = met_success_policy(progress.job, progress.succeeded_indexes) if progress.is_indexed else None
    if message is not None:
        return condition(SUCCESS_CRITERIA_MET, "SuccessPolicy", message, progress.written)
    return None


def is_complete(progress: Progress) -> bool:
    """True if enough pods of the Job in `progress` have succeeded and none is active."""
    wanted = progress.job.spec.completions
    enough = progress.succeeded > 0 if wanted is None else progress.succeeded >= wanted
    return enough and not progress.active


def completed(progress: Progress) -> JobCondition:
    """Return the condition SuccessCriteriaMet for the Job in `progress`, of which enough pods have succeeded."""
    message = "Reached expected number of succeeded pods"
    return condition(SUCCESS_CRITERIA_MET, "CompletionsReached", message, progress.written)


def seconds_to_deadline(progress: Progress) -> float | None:
    """Return the seconds until the ``activeDeadlineSeconds`` of the Job in `progress` have passed.

    Returns None if the field is not set, or if the Job has not been started or is suspended.
    """
    seconds, start = progress.job.spec.activeDeadlineSeconds, progress.job.status.startTime
    if seconds is None or start is None or progress.is_suspended:
        return None
    return (start.instant + timedelta(seconds=seconds) - progress.now).total_seconds()


def _failure(progress: Progress) -> tuple[str, str] | None:
    """Return the reason and the message with which the Job in `progress` fails, or None if it does not fail."""
    job = progress.job
    if job.spec.podFailurePolicy is not None:
        verdicts = (verdict_on(pod.stored, job) for pod in progress.pods if pod.is_failed(job))
        message = next((verdict.fails_job for verdict in verdicts if verdict.fails_job is not None), None)
        if message is not None:
            return "PodFailurePolicy", message
    if progress.failed > (job.spec.backoffLimit or 0) or _restarted_too_often(progress):
        return "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    left = seconds_to_deadline(progress)
    if left is not None and left <= 0:
        return "DeadlineExceeded", "Job was active longer than specified deadline"
    return _index_failure(progress) if progress.limits_indexes else None


def _index_failure(progress: Progress) -> tuple[str, str] | None:
    failed, most = len(progress.failed_indexes), progress.job.spec.maxFailedIndexes
    if most is not None and failed > most:
        return "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"
    if failed and failed + len(progress.succeeded_indexes) >= progress.completions:
        return "FailedIndexes", "Job has failed indexes"
    return None


def _restarted_too_often(progress: Progress) -> bool:
    if progress.job.spec.template.spec.restartPolicy != "OnFailure":
        return False
    restarts = sum(map(_restarts, progress.pods))
    return restarts >= max(progress.job.spec.backoffLimit or 0, 1)


def _restarts(pod: JobPod) -> int:
    if pod.phase not in ("Running", "Pending"):
        return 0
    status = pod.stored.document["status"]
    containers = [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]
    return sum(each.get("restartCount", 0) for each in containers)
