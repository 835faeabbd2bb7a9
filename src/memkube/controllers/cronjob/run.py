"""One reconciliation of a CronJob (``syncCronJob`` of ``cronjob_controllerv2.go``)."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, Literal

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.batch.v1.cronjobs.schedules import Schedule, parse_schedule, time_zone
from memkube.apis.batch.v1.cronjobs.types import CronJob
from memkube.apis.batch.v1.jobs.types import Job
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.cronjob.due_times import due_time, go_seconds, seconds_to_next
from memkube.controllers.framework.event_recorder import EventRecorder, Report, reference_to
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.workloads.job_state import end_condition
from memkube.controllers.workloads.owners import controller_uid
from memkube.controllers.workloads.owners import reference_to as owner_reference
from memkube.controllers.workloads.pod_control import is_namespace_terminating
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

_SCHEDULED: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_HELP: Final = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"


class Run:
    """One reconciliation of a CronJob with the Jobs that it owns."""

    def __init__(
        self,
        runtime: Runtime,
        events: EventRecorder,
        resources: tuple[Resource, Resource],
        stored: StoredObject,
        jobs: Sequence[StoredObject],
    ) -> None:
        self._client = runtime.client
        self._events = events
        self._cron_jobs, self._jobs = resources
        self._stored = stored
        self._owned = jobs
        self._now = runtime.clock.now()
        self._cron_job = CronJob.from_document(stored.document)
        self.is_changed = False
        """True if this reconciliation has changed the CronJob's status, so that it must be written."""
        self.removed: list[StoredObject] = []
        """The Jobs that this reconciliation removed from storage."""

    async def clean_up(self) -> None:
        """Delete the CronJob's oldest finished Jobs beyond its history limits."""
        spec, ends = self._cron_job.spec, [(job, end_condition(job)) for job in self._owned]
        for kind, limit in (
            ("Complete", spec.successfulJobsHistoryLimit),
            ("Failed", spec.failedJobsHistoryLimit),
        ):
            finished = [job for job, end in ends if end is not None and end["type"] == kind]
            if limit is not None and len(finished) > limit:
                for job in sorted(finished, key=_start_order)[: len(finished) - limit]:
                    self.is_changed |= await self._delete(job)

    async def advance(self) -> float | None:
        """Update the CronJob's status from its Jobs, and start a Job if one is due.

        Returns the seconds until the next reconciliation, or None if none is needed before the CronJob changes. Raises
        ApiError or TryAgain if a request fails.
        """
        for job in self._owned:
            await self._note_job(job)
        await self._forget_missing_jobs()
        spec = self._cron_job.spec
        if self._cron_job.metadata.deletionTimestamp is not None or not await self._has_valid_zone() or spec.suspend:
            return None
        schedule = await self._schedule()
        if schedule is None:
            return None
        try:
            due = due_time(self._cron_job, self._now, schedule)
        except ValueError as error:
            await self._record("Warning", "InvalidSchedule", f"invalid schedule: {spec.schedule} : {error}")
            return None
        if due.latest is not None and due.has_missed_many:
            advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew"
            await self._record("Warning", "TooManyMissedTimes", f"too many missed start times. {advice}")
        if due.latest is not None and await self._may_start(due.latest) and not await self._start(due.latest):
            return None
        return seconds_to_next(self._cron_job, self._now, schedule)

    async def write_status(self) -> None:
        """Write the CronJob's status.

        Raises ApiError if that fails: 409 if the CronJob was changed after it was read.
        """
        status = self._cron_job.status

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, CronJob)
            obj.status = status

        await self._client.update_revision(self._cron_jobs, self._stored, change, subresource="status")

    async def _note_job(self, job: StoredObject) -> None:
        """Remove a finished Job from ``status.active``. Record an Event if a running Job is missing there."""
        status, end = self._cron_job.status, end_condition(job)
        if end is None:
            if not self._is_active(job):
                await self._report_unexpected(job)
            return
        if self._is_active(job):
            self._deactivate(job.uid)
            message = f"Saw completed job: {job.name}, condition: {end['type']}"
            await self._record("Normal", "SawCompletedJob", message)
        written = job.document["status"].get("completionTime")
        if end["type"] == "Complete" and written is not None:
            completed = Time(written)
            if status.lastSuccessfulTime is None or completed.instant > status.lastSuccessfulTime.instant:
                status.lastSuccessfulTime = completed
                self.is_changed = True

    async def _report_unexpected(self, job: StoredObject) -> None:
        """Record an Event about a running Job that is missing in ``status.active``.

        Record nothing if the CronJob in the storage lists the Job: the informer's CronJob is then outdated, and this
        reconciliation continues with the one from the storage.
        """
        fresh = await self._client.get(self._cron_jobs, self._stored.namespace, self._stored.name)
        model = CronJob.from_document(fresh.document)
        if any(each.uid == job.uid for each in model.status.active):
            self._stored, self._cron_job = fresh, model
            return
        message = f"Saw a job that the controller did not create or forgot: {job.name}"
        await self._record("Warning", "UnexpectedJob", message)

    async def _forget_missing_jobs(self) -> None:
        known = {job.uid for job in self._owned}
        for active in self._cron_job.status.active:
            if active.uid in known:
                continue
            try:
                await self._client.get(self._jobs, active.namespace, active.name)
            except ApiError as error:
                if error.reason != "NotFound":
                    raise
                await self._record("Normal", "MissingJob", f"Active job went missing: {active.name}")
                self._deactivate(active.uid)

    async def _has_valid_zone(self) -> bool:
        zone = self._cron_job.spec.timeZone
        try:
            time_zone(zone or "")
        except ValueError as error:
            await self._record("Warning", "UnknownTimeZone", f"invalid timeZone: {quoted(zone or '')}: {error}")
            return False
        return True

    async def _schedule(self) -> Schedule | None:
        """Return the parsed schedule of the CronJob, or None if it is invalid."""
        text = self._cron_job.spec.schedule
        if "TZ" in text:
            problem = f"CRON_TZ or TZ used in schedule {quoted(text)} is not officially supported"
            await self._record("Warning", "UnsupportedSchedule", f"{problem}, see {_HELP} for more details")
        try:
            return schedule_of(self._cron_job)
        except ValueError as error:
            await self._record("Warning", "UnparseableSchedule", f"unparseable schedule: {quoted(text)} : {error}")
            return None

    async def _may_start(self, due: datetime) -> bool:
        """True if a Job may be started for the scheduled time `due`.

        The starting deadline, the concurrency policy, or a Job that was started earlier for the same time can prevent
        that.
        """
        spec, status = self._cron_job.spec, self._cron_job.status
        deadline = spec.startingDeadlineSeconds
        if deadline is not None and due + go_seconds(deadline) < self._now:
            written = due.astimezone(UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
            await self._record("Warning", "MissSchedule", f"Missed scheduled time to start a job: {written}")
            return False
        name, namespace = self._job_name(due), self._stored.namespace
        if any((each.name, each.namespace) == (name, namespace) for each in status.active):
            return False
        if status.lastScheduleTime is not None and status.lastScheduleTime.instant == due:
            return False
        if spec.concurrencyPolicy == "Forbid" and status.active:
            message = "Not starting job because prior execution is running and concurrency policy is Forbid"
            await self._record("Normal", "JobAlreadyActive", message)
            return False
        return True

    async def _start(self, due: datetime) -> bool:
        """Create the Job for the scheduled time `due`, and add it to ``status.active``.

        Returns False if no Job was added.
        """
        if self._cron_job.spec.concurrencyPolicy == "Replace":
            await self._replace(self._cron_job.status.active)
        job = await self._create(due)
        if job is None:
            return False
        status = self._cron_job.status
        status.active = [*status.active, reference_to(job)]
        status.lastScheduleTime = Time.at(due)
        self.is_changed = True
        return True

    async def _replace(self, active: Iterable[ObjectReference]) -> None:
        for each in active:
            try:
                job = await self._client.get(self._jobs, each.namespace, each.name)
            except ApiError as error:
                await self._record("Warning", "FailedGet", f"Get job: {error.message}")
                raise
            if not await self._delete(job):
                raise TryAgain
            self.is_changed = True

    async def _create(self, due: datetime) -> StoredObject | None:
        """Create the Job for the scheduled time `due`, and return it.

        If a Job with its name exists, return this Job instead. But return None if the CronJob does not control this
        Job, or if ``status.active`` contains it already. Raises ApiError if the creation fails for another reason.
        """
        job, namespace = self._job_for(due), self._stored.namespace
        try:
            created = await self._client.create(self._jobs, job, namespace)
        except ApiError as error:
            if error.reason == "AlreadyExists":
                known = await self._client.get(self._jobs, namespace, job.metadata.name)
                return known if controller_uid(known) == self._stored.uid and not self._is_active(known) else None
            if not is_namespace_terminating(error):
                await self._record("Warning", "FailedCreate", f"Error creating job: {error.message}")
            raise
        await self._record("Normal", "SuccessfulCreate", f"Created job {created.name}")
        return created

    def _job_for(self, due: datetime) -> Job:
        template = self._stored.document["spec"]["jobTemplate"]
        metadata, zone = template.get("metadata") or {}, time_zone(self._cron_job.spec.timeZone or "")
        scheduled = due.astimezone(zone).isoformat(timespec="seconds").replace("+00:00", "Z")
        return Job.from_document(
            {
                "metadata": {
                    "name": self._job_name(due),
                    "labels": metadata.get("labels") or {},
                    "annotations": {**(metadata.get("annotations") or {}), _SCHEDULED: scheduled},
                    "ownerReferences": [owner_reference(self._stored, self._cron_jobs)],
                },
                "spec": template.get("spec") or {},
            }
        )

    def _job_name(self, due: datetime) -> str:
        return f"{self._stored.name}-{int(due.timestamp()) // 60}"

    async def _delete(self, job: StoredObject) -> bool:
        """Delete a Job with its pods. Returns False if that fails."""
        try:
            options = DeleteOptions(propagationPolicy="Background")
            deletion = await self._client.delete(self._jobs, job.namespace, job.name, options)
        except ApiError as error:
            await self._record("Warning", "FailedDelete", f"Deleted job: {error.message}")
            return False
        if deletion.gone:
            self.removed.append(job)
        self._deactivate(job.uid)
        await self._record("Normal", "SuccessfulDelete", f"Deleted job {job.name}")
        return True

    def _is_active(self, job: StoredObject) -> bool:
        return any(each.uid == job.uid for each in self._cron_job.status.active)

    def _deactivate(self, uid: str) -> None:
        status = self._cron_job.status
        status.active = [each for each in status.active if each.uid != uid]
        self.is_changed = True

    async def _record(self, event_type: Literal["Normal", "Warning"], reason: str, message: str) -> None:
        await self._events.record(self._stored, Report(event_type, reason, message))


def schedule_of(cron_job: CronJob) -> Schedule:
    """Return the schedule in the CronJob's time zone. Raises ValueError if it is invalid."""
    text, zone = cron_job.spec.schedule, cron_job.spec.timeZone
    return parse_schedule(text if "TZ" in text or zone is None else f"TZ={zone} {text}")


def _start_order(job: StoredObject) -> tuple[bool, str, str]:
    start = job.document["status"].get("startTime")
    return start is None, start or "", job.name
