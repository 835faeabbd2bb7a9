"""Deletes finished Jobs when their time to live has passed (``pkg/controller/ttlafterfinished``)."""

from datetime import datetime, timedelta
from typing import Final, TypeAlias

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.job_state import end_condition
from memkube.registry.objects.stored import StoredObject

Key: TypeAlias = tuple[str, str]
_JOBS: Final = ("batch", "v1", "jobs")


class TtlAfterFinishedController:
    """Deletes finished Jobs after their ``spec.ttlSecondsAfterFinished``."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._jobs = runtime.informers.of(*_JOBS)
        self._queue = runtime.queue("ttl after finished", self._sync)
        self._jobs.subscribe(self._on_job)

    def _on_job(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and _expires_at(new) is not None:
            self._queue.add((new.namespace, new.name))

    async def _sync(self, key: Key) -> None:
        resource, known = self._runtime.catalog.find(*_JOBS), self._jobs.get(*key)
        if resource is None or known is None or self._seconds_left(key, known) != 0:
            return
        with ignoring_absence():
            # Read the Job from the storage: a client may have extended its time to live.
            fresh = await self._runtime.client.get(resource, *key)
            if self._seconds_left(key, fresh) == 0:
                options = DeleteOptions(propagationPolicy="Foreground", preconditions=Preconditions(uid=fresh.uid))
                await self._runtime.client.delete(resource, *key, options)

    def _seconds_left(self, key: Key, job: StoredObject) -> float | None:
        """Return the seconds until a Job must be deleted; None if it must not.

        If the time has not passed yet, the Job is also queued for that time.
        """
        moment = _expires_at(job)
        if moment is None:
            return None
        left = max((moment - self._runtime.clock.now()).total_seconds(), 0.0)
        if left:
            self._queue.add_after(key, left)
        return left


def _expires_at(job: StoredObject) -> datetime | None:
    document = job.document
    seconds: int | None = document["spec"].get("ttlSecondsAfterFinished")
    end = end_condition(job)
    if seconds is None or end is None or "deletionTimestamp" in document["metadata"]:
        return None
    return datetime.fromisoformat(end["lastTransitionTime"]) + timedelta(seconds=seconds)
