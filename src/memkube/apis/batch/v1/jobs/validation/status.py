"""Validation of status updates of Jobs.

Most rules apply only to fields that the update changes, so that a status which breaks a rule already can be updated.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, OmittedValue, duplicate, invalid, required
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.shown_values import InternalValue, TypedString
from memkube.apis.batch.v1.jobs.types import Job, JobStatus, is_finished, is_true
from memkube.apis.batch.v1.jobs.validation.job import is_indexed
from memkube.apis.batch.v1.jobs.validation.policies import BadIndexes, common_index, counted_indexes
from memkube.apis.core.v1.metadata import validate_metadata_update

_STATUS: Final = FieldPath("status")
_CONDITIONS: Final = _STATUS.child("conditions")


def validate_job_status_update(new: Job, old: Job) -> list[FieldError]:
    """Validate an update of a Job's status.

    A job finishes only once, as either succeeded or failed, and its counts do not decrease.
    """
    changes = _Changes(new, old)
    return [
        *validate_metadata_update(new.metadata, old.metadata),
        *_count_errors(new.status),
        *changes.condition_errors(),
        *changes.time_errors(),
        *changes.failure_errors(),
        *changes.end_errors(),
        *changes.index_errors(),
        *changes.pod_errors(),
        *_contradictions(new),
        *changes.history_errors(),
    ]


def _count_errors(status: JobStatus) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in ("active", "succeeded", "failed", "ready", "terminating"):
        value = getattr(status, name)
        if value is not None:
            errors += validate_nonnegative(value, _STATUS.child(name))
    uncounted = status.uncountedTerminatedPods
    if uncounted is not None:
        path = _STATUS.child("uncountedTerminatedPods")
        errors += _uid_errors(uncounted.succeeded, (), path.child("succeeded"))
        errors += _uid_errors(uncounted.failed, uncounted.succeeded, path.child("failed"))
    return errors


def _uid_errors(uids: Sequence[str], others: Sequence[str], path: FieldPath) -> Iterator[FieldError]:
    for index, uid in enumerate(uids):
        if not uid:
            yield invalid(path.item(index), uid, "must not be empty")
        elif uid in uids[:index] or uid in others:
            yield duplicate(path.item(index), TypedString(uid))


def _contradictions(job: Job) -> list[FieldError]:
    conditions = job.status.conditions
    met = is_true(conditions, "SuccessCriteriaMet")
    errors: list[FieldError] = []
    for other, name in (("Failed", "Failed=true"), ("FailureTarget", "FailureTarget=true")):
        if met and is_true(conditions, other):
            errors.append(_refused(f"cannot set SuccessCriteriaMet=True and {name} conditions"))
    if job.spec.successPolicy is not None and not met and is_true(conditions, "Complete"):
        errors.append(_refused("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"))
    return errors


def _refused(why: str) -> FieldError:
    return invalid(_CONDITIONS, OmittedValue(), why)


class _Changes:
    """Old and new status of a job, and the names of the fields and conditions that differ."""

    def __init__(self, new: Job, old: Job) -> None:
        self.job, self.old_job = new, old
        self.new, self.old = new.status, old.status
        self.finished = is_finished(self.new.conditions)

    def has(self, condition: str) -> bool:
        return is_true(self.new.conditions, condition)

    def had(self, condition: str) -> bool:
        return is_true(self.old.conditions, condition)

    def differs(self, *names: str) -> bool:
        """True if at least one of the status fields or condition types `names` differs between old and new status."""
        fields = JobStatus.model_fields
        return any(
            getattr(self.new, n) != getattr(self.old, n) if n in fields else self.has(n) != self.had(n) for n in names
        )

    @property
    def ended(self) -> bool:
        return self.finished != is_finished(self.old.conditions)

    def condition_errors(self) -> Iterator[FieldError]:
        for other, name in (("Failed", "Failed=true"), ("FailureTarget", "FailureTarget=true")):
            if self.differs("Complete", other) and self.has("Complete") and self.has(other):
                yield _refused(f"cannot set Complete=True and {name} conditions")

    def time_errors(self) -> Iterator[FieldError]:
        completed, path = self.new.completionTime, _STATUS.child("completionTime")
        if self.differs("Complete", "completionTime"):
            if completed is not None and not self.has("Complete"):
                yield invalid(path, completed, "cannot set completionTime when there is no Complete=True condition")
            if completed is None and self.has("Complete"):
                yield required(path, "completionTime is required for Complete jobs")
        started = self.new.startTime
        if self.differs("startTime", "completionTime") and started and completed and completed < started:
            yield invalid(path, completed, "must be equal to or after `startTime`")

    def failure_errors(self) -> Iterator[FieldError]:
        if self.differs("Failed", "failedIndexes") and self.has("Failed") and not self.has("FailureTarget"):
            yield _refused("cannot set Failed=True condition without the FailureTarget=true condition")
        unmet = self.has("Complete") and not self.has("SuccessCriteriaMet")
        if self.differs("Complete", "SuccessCriteriaMet") and unmet:
            yield _refused("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")

    def end_errors(self) -> Iterator[FieldError]:
        if not self.finished:
            return
        new = self.new
        if (self.ended or self.differs("active")) and new.active > 0:
            yield invalid(_STATUS.child("active"), new.active, "active>0 is invalid for finished job")
        idle = self.job.spec.suspend and self.job.spec.completions == 0
        if (self.ended or self.differs("startTime")) and not idle and new.startTime is None:
            yield required(_STATUS.child("startTime"), "startTime is required for finished job")
        pods = new.uncountedTerminatedPods
        if (self.ended or self.differs("uncountedTerminatedPods")) and pods and (pods.failed or pods.succeeded):
            path = _STATUS.child("uncountedTerminatedPods")
            yield invalid(path, InternalValue(pods), "must be empty for finished job")

    def index_errors(self) -> Iterator[FieldError]:
        new, completions = self.new, self.job.spec.completions
        per_index = self.job.spec.backoffLimitPerIndex is not None
        if self.differs("completedIndexes") and completions is not None:
            yield from _format_errors("completedIndexes", new.completedIndexes, completions)
        if self.differs("failedIndexes") and completions is not None and per_index and new.failedIndexes is not None:
            yield from _format_errors("failedIndexes", new.failedIndexes, completions)
        if self.differs("completedIndexes") and new.completedIndexes and not is_indexed(self.job.spec):
            why = "cannot set non-empty completedIndexes when non-indexed completion mode"
            yield invalid(_STATUS.child("completedIndexes"), new.completedIndexes, why)
        if self.differs("failedIndexes") and not per_index and new.failedIndexes is not None:
            why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
            yield invalid(_STATUS.child("failedIndexes"), new.failedIndexes, why)
        if self.differs("failedIndexes", "completedIndexes") and completions is not None and new.failedIndexes:
            common = common_index(new.completedIndexes, new.failedIndexes, completions)
            if common is not None:
                why = f"failedIndexes and completedIndexes overlap at index: {common}"
                yield invalid(_STATUS.child("failedIndexes"), new.failedIndexes, why)

    def pod_errors(self) -> Iterator[FieldError]:
        new = self.new
        if (self.ended or self.differs("terminating")) and self.finished and (new.terminating or 0) > 0:
            path = _STATUS.child("terminating")
            yield invalid(path, new.terminating, "terminating>0 is invalid for finished job")
        if self.differs("ready", "active") and new.ready is not None and new.ready > new.active:
            yield invalid(_STATUS.child("ready"), new.ready, "cannot set more ready pods than active")

    def history_errors(self) -> Iterator[FieldError]:
        new, old, spec = self.new, self.old, self.job.spec
        for condition in ("Failed", "Complete", "FailureTarget"):
            if self.had(condition) and not self.has(condition):
                yield _refused(f"cannot disable the terminal {condition}=True condition")
        if new.failed < old.failed:
            yield invalid(_STATUS.child("failed"), new.failed, "cannot decrease the failed counter")
        elastic = is_indexed(spec) and spec.completions == spec.parallelism
        if new.succeeded < old.succeeded and not elastic:
            yield invalid(_STATUS.child("succeeded"), new.succeeded, "cannot decrease the succeeded counter")
        if new.completionTime and old.completionTime and new.completionTime != old.completionTime:
            yield invalid(_STATUS.child("completionTime"), new.completionTime, "field is immutable")
        if self.differs("startTime") and not self._is_resumed and old.startTime is not None and not spec.suspend:
            why = "field is immutable for unsuspended job once set"
            yield invalid(_STATUS.child("startTime"), new.startTime, why)
        if self.had("SuccessCriteriaMet") and not self.has("SuccessCriteriaMet"):
            yield _refused("cannot disable the SuccessCriteriaMet=True condition")
        if self.had("Complete") and not self.had("SuccessCriteriaMet") and self.has("SuccessCriteriaMet"):
            yield _refused("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")

    @property
    def _is_resumed(self) -> bool:
        on = any(c.type == "Suspended" and c.status == "False" for c in self.new.conditions)
        return self.had("Suspended") and on


def _format_errors(name: str, text: str, completions: int) -> Iterator[FieldError]:
    try:
        counted_indexes(text, completions)
    except BadIndexes as error:
        yield invalid(_STATUS.child(name), text, f"error parsing {name}: {error}")
