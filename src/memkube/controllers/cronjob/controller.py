"""The CronJob controller: creates Jobs when they are due, and deletes old Jobs (``cronjob_controllerv2.go``)."""

from typing import Final, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apis.batch.v1.cronjobs.types import CronJob
from memkube.controllers.cronjob.due_times import seconds_to_next
from memkube.controllers.cronjob.run import Run, schedule_of
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.workloads.owners import controller_reference
from memkube.registry.objects.stored import StoredObject

Key: TypeAlias = tuple[str, str]
"""Namespace and name of a CronJob."""
_CRON_JOBS: Final = ("batch", "v1", "cronjobs")
_JOBS: Final = ("batch", "v1", "jobs")


class CronJobController:
    """Creates the Jobs of CronJobs when they are due, and deletes finished Jobs beyond the history limits."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "cronjob-controller")
        self._queue = runtime.queue("cronjob", self._sync)
        self._cron_jobs = runtime.informers.of(*_CRON_JOBS)
        self._jobs = runtime.informers.of(*_JOBS)
        self._by_owner: dict[Key, dict[str, StoredObject]] = {}
        """Jobs by name, for each owner that controls them, by its namespace and name. The owner may be of any kind."""
        self._removed: set[str] = set()
        """UIDs of Jobs that were removed from storage and that the informer has not reported as deleted."""
        self._jobs.subscribe(self._on_job)
        self._cron_jobs.subscribe(self._on_cron_job)

    def _on_cron_job(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            return
        key = new.namespace, new.name
        wait = None if old is None else self._wait_of_new_schedule(old, new)
        if wait is None:
            self._queue.add(key)
        else:
            self._queue.add_after(key, wait)

    def _wait_of_new_schedule(self, old: StoredObject, new: StoredObject) -> float | None:
        """Return the seconds until a CronJob with a changed schedule is due, or None if the schedule is unchanged."""
        fields = ("schedule", "timeZone")
        if all(old.document["spec"].get(name) == new.document["spec"].get(name) for name in fields):
            return None
        cron_job = CronJob.from_document(new.document)
        try:
            return seconds_to_next(cron_job, self._runtime.clock.now(), schedule_of(cron_job))
        except ValueError:
            return None

    def _on_job(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for each in (old, new):
            if each is not None and (reference := controller_reference(each.document)) is not None:
                key = each.namespace, reference["name"]
                self._index(key, each, is_owned=each is new)
                owner = self._cron_jobs.get(*key)
                if owner is not None and (reference["kind"], reference["uid"]) == ("CronJob", owner.uid):
                    self._queue.add(key)
        if old is not None and new is None:
            self._removed.discard(old.uid)

    def _index(self, key: Key, job: StoredObject, *, is_owned: bool) -> None:
        if is_owned:
            self._by_owner.setdefault(key, {})[job.name] = job
            return
        jobs = self._by_owner.get(key, {})
        jobs.pop(job.name, None)
        if not jobs:
            self._by_owner.pop(key, None)

    async def _sync(self, key: Key) -> None:
        catalog, stored = self._runtime.catalog, self._cron_jobs.get(*key)
        cron_jobs, jobs = catalog.find(*_CRON_JOBS), catalog.find(*_JOBS)
        if stored is None or cron_jobs is None or jobs is None:
            return
        owned = [job for job in self._by_owner.get(key, {}).values() if job.uid not in self._removed]
        run = Run(self._runtime, self._events, (cron_jobs, jobs), stored, owned)
        failure: Exception | None = None
        wait = None
        try:
            await run.clean_up()
            wait = await run.advance()
        except (ApiError, TryAgain) as error:
            failure = error
        self._note_removed(run)
        if run.is_changed:
            await run.write_status()
        if failure is not None:
            raise failure
        if wait is not None:
            self._queue.add_after(key, wait)

    def _note_removed(self, run: Run) -> None:
        for job in run.removed:
            known = self._jobs.get(job.namespace, job.name)
            if known is not None and known.uid == job.uid:
                self._removed.add(job.uid)
