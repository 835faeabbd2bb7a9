"""The scheduler (``schedule_one.go``)."""

import logging
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.controllers.runtime import Runtime
from memkube.controllers.scheduler import reports
from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.decision import decide
from memkube.controllers.scheduler.framework import Situation
from memkube.controllers.scheduler.misfit import Misfit, Unschedulable
from memkube.controllers.scheduler.observer import SCHEDULER_NAME, Observer
from memkube.controllers.scheduler.pod_info import PodInfo, node_of
from memkube.controllers.scheduler.pod_queue import PodQueue, QueuedPod
from memkube.controllers.scheduler.pod_writer import PodWriter
from memkube.controllers.scheduler.surroundings import Surroundings

_NEXT: Final = "next"
_LOGGER = logging.getLogger("memkube.controllers")


class Scheduler:
    """Gives pods nodes, one pod after another.

    Unlike the reference's, it leaves a pod in peace for as long as there are no nodes at all.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._writer = PodWriter(runtime, SCHEDULER_NAME)
        self._work = runtime.queue("scheduler", self._schedule_next)
        self._queue = PodQueue(runtime.clock, lambda: self._work.add(_NEXT))
        self._cluster = Cluster()
        self._surroundings = Surroundings(runtime)
        self._observer = Observer(self._cluster, self._queue, self._surroundings)
        self._start = 0
        """Where the search for nodes goes on."""
        runtime.informers.of("", "v1", "nodes").subscribe(self._observer.on_node)
        self._pods = runtime.informers.of("", "v1", "pods")
        self._pods.subscribe(self._observer.on_pod)

    async def _schedule_next(self, _: str) -> None:
        queued = self._queue.pop()
        try:
            if queued is not None:
                await self._schedule(queued)
        finally:
            if self._queue.has_ready():
                self._work.add(_NEXT)

    async def _schedule(self, queued: QueuedPod) -> None:
        pod = queued.pod
        if pod.terminating:
            self._queue.remove(pod.uid)
            await self._writer.report(pod, reports.deleting(pod))
            return
        try:
            node, self._start = decide(Situation(pod, self._cluster, self._surroundings), self._start)
        except Unschedulable as error:
            await self._leave(queued, error.misfit)
        except Exception as error:
            _LOGGER.exception("no decision about %s/%s", pod.namespace, pod.name)
            await self._fail(queued, str(error))
        else:
            await self._bind(queued, node)

    async def _bind(self, queued: QueuedPod, node: str) -> None:
        pod = queued.pod
        self._cluster.assume(pod, node)
        promised = self._cluster.nominations.remove(pod.uid)
        try:
            await self._writer.bind(pod, node)
        except ApiError as error:
            self._observer.release(pod)
            await self._fail(queued, f'running Bind plugin "DefaultBinder": {error}', "" if promised else None)
        else:
            await self._writer.report(pod, reports.scheduled(pod, node))

    async def _leave(self, queued: QueuedPod, misfit: Misfit) -> None:
        """Nothing can be done for a pod as things are."""
        pod, message = queued.pod, misfit.message()
        self._queue.park(queued, misfit.rejected_by)
        await self._writer.report(pod, reports.failed(message))
        await self._writer.set_status(pod, reports.not_scheduled(pod, reports.UNSCHEDULABLE, message), None)

    async def _fail(self, queued: QueuedPod, message: str, nominated_node: str | None = None) -> None:
        """Something went wrong with a pod; it is tried again if it still needs a node."""
        newest = self._pods.get(queued.pod.namespace, queued.pod.name)
        if newest is None or newest.uid != queued.pod.uid or node_of(newest):
            self._queue.remove(queued.pod.uid)
            return
        pod = queued.pod = PodInfo(newest)
        self._queue.retry(queued)
        await self._writer.report(pod, reports.failed(message))
        condition = reports.not_scheduled(pod, reports.SCHEDULER_ERROR, message)
        await self._writer.set_status(pod, condition, nominated_node)
