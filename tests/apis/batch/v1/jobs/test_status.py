from typing import Any

import pytest

from memkube.apis.batch.v1.jobs.types import Job
from memkube.apis.batch.v1.jobs.validation import validate_job_status_update

TIME = "2026-01-01T00:00:00Z"
LATER = "2026-01-01T00:00:01Z"


def job(*conditions: str, **status: Any) -> Job:
    """Return an indexed Job with three completions, on which these conditions are true."""
    written = [{"type": condition, "status": "True"} for condition in conditions]
    return Job.from_document(
        {
            "metadata": {"name": "work", "namespace": "default", "resourceVersion": "1"},
            "spec": {"completions": 3, "parallelism": 1, "completionMode": "Indexed", "backoffLimitPerIndex": 1},
            "status": {"conditions": written, **status},
        }
    )


def errors(new: Job, old: Job) -> list[str]:
    return [error.detail for error in validate_job_status_update(new, old)]


DONE = ("SuccessCriteriaMet", "Complete")


@pytest.mark.parametrize(
    ("new", "error"),
    [
        (job(*DONE, startTime=TIME, completionTime=LATER), None),
        (job("FailureTarget", "Failed", startTime=TIME), None),
        (job(*DONE, startTime=TIME), "completionTime is required for Complete jobs"),
        (job(*DONE, startTime=LATER, completionTime=TIME), "must be equal to or after `startTime`"),
        (job(*DONE, completionTime=TIME), "startTime is required for finished job"),
        (job(*DONE, startTime=TIME, completionTime=TIME, active=1), "active>0 is invalid for finished job"),
        (job("Failed", startTime=TIME), "cannot set Failed=True condition without the FailureTarget=true condition"),
        (job(ready=1), "cannot set more ready pods than active"),
        (job(completedIndexes="0,2"), None),
        (job(completedIndexes="2-1"), "error parsing completedIndexes: non-increasing order, previous: 2, current: 1"),
        (job(completedIndexes="3"), 'error parsing completedIndexes: too large index: "3"'),
        (
            job(completedIndexes="0-1", failedIndexes="1-2"),
            "failedIndexes and completedIndexes overlap at index: 1",
        ),
    ],
)
def test_a_status_does_not_contradict_itself(new: Job, error: str | None) -> None:
    assert errors(new, job()) == ([error] if error else [])


@pytest.mark.parametrize(
    ("new", "old", "error"),
    [
        (job(), job("FailureTarget"), "cannot disable the terminal FailureTarget=True condition"),
        (job(failed=1), job(failed=2), "cannot decrease the failed counter"),
        (job(succeeded=1), job(succeeded=2), "cannot decrease the succeeded counter"),
        (job(startTime=LATER), job(startTime=TIME), "field is immutable for unsuspended job once set"),
    ],
)
def test_what_has_happened_has_happened(new: Job, old: Job, error: str) -> None:
    assert errors(new, old) == [error]


def test_an_old_mistake_stops_nothing() -> None:
    wrong = job("Failed")
    assert errors(job("Failed", failed=1), wrong) == []
