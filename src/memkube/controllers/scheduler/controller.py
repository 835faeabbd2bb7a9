"""The scheduling cycle: takes pods from the queue, chooses nodes, and binds or preempts (``schedule_one.go``)."""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.scheduler import reports
from memkube.controllers.scheduler.annotations import SELECTED_NODE, result_annotations
from memkube.controllers.scheduler.claim_binder import NOTHING_TO_RELEASE, ClaimBinder, devices_on
from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.decision import Unschedulable, decide
from memkube.controllers.scheduler.explanation import Explanation, explain
from memkube.controllers.scheduler.filtering import NO_STATE
from memkube.controllers.scheduler.framework import ClusterListers, PluginError, SchedulingContext
from memkube.controllers.scheduler.observer import Observer
from memkube.controllers.scheduler.plugins import dynamic_resources, volume_binding
from memkube.controllers.scheduler.pod_info import PodInfo, node_of
from memkube.controllers.scheduler.pod_queue import PodQueue, QueuedPod
from memkube.controllers.scheduler.pod_writer import PodWriter
from memkube.controllers.scheduler.preemption import Attempt, Importance, attempt, evict
from memkube.controllers.scheduler.profiles import DEFAULT_PROFILE
from memkube.controllers.scheduler.reservation import Reservation
from memkube.controllers.scheduler.volume_binder import VolumeBinder, volumes_on
from memkube.registry.objects.stored import StoredObject

_NEXT: Final = "next"
_LOGGER = logging.getLogger("memkube.controllers")


class Scheduler:
    """Schedules pods one after another.

    Unlike kube-scheduler, it does not try to schedule pods while there are no nodes.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._clock = runtime.clock
        self._writer = PodWriter(runtime)
        self._work = runtime.queue("scheduler", self._schedule_next)
        self._listers = ClusterListers(runtime)
        gate = partial(dynamic_resources.gate, self._listers)
        self._queue = PodQueue(runtime.clock, partial(self._work.add_after, _NEXT), gate)
        self._cluster = Cluster()
        self._volume_binder = VolumeBinder(runtime, self._listers, self._end_volume_binding)
        self._claim_binder = ClaimBinder(runtime, self._listers, self._writer, self._end_claim_binding)
        self._profiles = {profile.name: profile for profile in runtime.options.scheduler_profiles or (DEFAULT_PROFILE,)}
        self._annotates = runtime.options.scheduler_annotations
        self._observer = Observer(self._cluster, self._queue, self._listers, self._profiles.keys())
        self._start = 0
        """Index of the node with which the next search begins."""
        for saved in runtime.keep("scheduler", self._saved):
            self._start = saved["start"]
            self._queue.restore(saved["waiting"])
            runtime.started.append(self._queue.resume)
        runtime.informers.of("", "v1", "nodes").subscribe(self._observer.on_node)
        self._follow_storage()
        self._follow_devices()
        self._pods = runtime.informers.of("", "v1", "pods")
        self._pods.subscribe(self._observer.on_pod)

    def explain(self, pod: StoredObject) -> Explanation | None:
        """Return which node the scheduler would choose for a pod now, and why. A bound pod is treated as unbound.

        Returns None if no profile of the scheduler has the ``schedulerName`` of the pod.
        """
        info = PodInfo(pod)
        if info.scheduler_name not in self._profiles:
            return None
        with self._cluster.without_pod(pod.uid):
            return explain(self._context(info))

    def _results(self, context: SchedulingContext) -> Mapping[str, str]:
        """Return annotations for the pod in `context`: each plugin's result for each node, and the chosen node."""
        return result_annotations(explain(context), [rule.name for rule in context.profile.rules])

    def _context(self, pod: PodInfo) -> SchedulingContext:
        return SchedulingContext(pod, self._cluster, self._listers, self._profiles[pod.scheduler_name])

    def _follow_storage(self) -> None:
        listers, observer = self._listers, self._observer
        listers.claims.subscribe(observer.on_claim)
        listers.volumes.subscribe(observer.on_volume)
        listers.storage_classes.subscribe(observer.on_storage_class)
        listers.csi_nodes.subscribe(observer.on_csi_node)
        listers.attachments.subscribe(observer.on_attachment)
        listers.csi_drivers.subscribe(observer.on_csi_driver)
        listers.capacities.subscribe(observer.on_capacity)

    def _follow_devices(self) -> None:
        listers, observer = self._listers, self._observer
        listers.known_resource_claims.subscribe(observer.on_resource_claim)
        listers.device_classes.subscribe(observer.on_devices)
        listers.device_classes.subscribe(observer.on_device_class)
        listers.slices.subscribe(observer.on_devices)

    def _saved(self) -> list[Document]:
        return [{"start": self._start, "waiting": self._queue.saved()}]

    async def _schedule_next(self, _: str) -> None:
        queued = self._queue.pop()
        try:
            if queued is not None:
                await self._schedule(queued)
        finally:
            self._queue.wake_for_next()

    async def _schedule(self, queued: QueuedPod) -> None:
        pod = queued.pod
        if pod.terminating:
            self._queue.remove(pod.uid)
            await self._writer.report(pod.scheduler_name, pod, reports.deleting(pod))
            return
        context = self._context(pod)
        results: Mapping[str, str] = {}
        try:
            # Compute the annotations before the pod is counted on its node, which changes the cached cluster.
            results = self._results(context) if self._annotates else {}
            node, self._start = decide(context, self._start)
        except Unschedulable as error:
            await self._handle_failure(queued, context, error)
        except PluginError as error:
            await self._fail(queued, str(error), "")
        except Exception as error:
            _LOGGER.exception("cannot schedule pod %s/%s", pod.namespace, pod.name)
            await self._fail(queued, str(error))
        else:
            await self._reserve(queued, context, node)
            results = {**results, SELECTED_NODE: node} if results else {}
        if results:
            await self._writer.annotate(pod, results)

    async def _reserve(self, queued: QueuedPod, context: SchedulingContext, node: str) -> None:
        """Count the pod in `queued` on the chosen node, and bind the pod when its volumes and devices are ready.

        `context` has the inputs with which the node was chosen.
        """
        pod = queued.pod
        volumes, devices = volumes_on(context, node), devices_on(context, node)
        self._cluster.assume(pod, node)
        self._cluster.nominations.remove(pod.uid)
        reservation = Reservation(queued, node, volumes, devices)
        self._claim_binder.reserve(reservation)
        if volumes is not None or devices is not None:
            await self._nominate(pod, node)
        if volumes is None:
            await self._use_devices(reservation)
        else:
            await self._volume_binder.begin(reservation)

    async def _nominate(self, pod: PodInfo, node: str) -> None:
        """Write the chosen node into the pod's ``nominatedNodeName`` while its volumes and devices are prepared.

        An error is only logged, because the pod can be bound without this.
        """
        try:
            await self._writer.set_status(pod, None, node)
        except ApiError as error:
            _LOGGER.warning("cannot nominate pod %s/%s to %s: %s", pod.namespace, pod.name, node, error)

    async def _use_devices(self, reservation: Reservation) -> None:
        """Allocate the devices of a pod whose volumes are bound, and then bind the pod."""
        if reservation.devices is None:
            await self._bind(reservation)
        else:
            await self._claim_binder.begin(reservation)

    async def _bind(self, reservation: Reservation) -> None:
        pod, node = reservation.queued.pod, reservation.node
        try:
            await self._writer.bind(pod, node)
        except ApiError as error:
            await self._unreserve(reservation, f'running Bind plugin "DefaultBinder": {error}')
        else:
            await self._writer.report(pod.scheduler_name, pod, reports.scheduled(pod, node))

    async def _unreserve(self, reservation: Reservation, message: str) -> None:
        """Undo `reservation`, because the binding of its pod to the chosen node has failed with `message`.

        The node and the devices are free again, and the pod is scheduled again later.
        """
        queued = reservation.queued
        self._observer.release(queued.pod)
        if reservation.devices is not None:
            await self._claim_binder.release(reservation)
        await self._fail(queued, message, "")

    async def _end_volume_binding(self, reservation: Reservation, failure: str) -> None:
        try:
            if failure:
                await self._unreserve(reservation, f'running PreBind plugin "{volume_binding.NAME}": {failure}')
            else:
                await self._use_devices(reservation)
        finally:
            self._queue.wake_for_next()

    async def _end_claim_binding(self, reservation: Reservation, failure: str) -> None:
        try:
            if failure:
                await self._unreserve(reservation, f'running PreBind plugin "{dynamic_resources.NAME}": {failure}')
            else:
                await self._bind(reservation)
        finally:
            self._queue.wake_for_next()

    async def _handle_failure(self, queued: QueuedPod, context: SchedulingContext, why: Unschedulable) -> None:
        """Handle a pod that fits on no node: record the failure, try preemption, and keep the pod for a retry.

        `why` has the reasons of the filter plugins, and `context` the inputs of the decision.
        """
        pod, fit_error = queued.pod, why.fit_error
        self._queue.park(queued, fit_error.rejected_by)
        checks = why.filtering.checks if why.filtering is not None else ()
        profile, released = context.profile, ""
        if profile.releases_claims:
            released = await self._claim_binder.release_unusable(pod, checks) if checks else NOTHING_TO_RELEASE
        if not fit_error.number_of_nodes or not (profile.preempts or profile.releases_claims):
            made = Attempt(promised_node="")
        elif profile.releases_claims and not fit_error.has_state_of_devices:
            made = Attempt(NO_STATE)
        elif not profile.preempts:
            made = Attempt(released)
        else:
            made = attempt(context, why.filtering, fit_error, Importance(self._clock.now()), released)
        message = fit_error.message(made.message)
        if made.promised_node is not None:
            self._cluster.nominations.set(pod, made.promised_node)
        await self._writer.report(pod.scheduler_name, pod, reports.failed(message))
        condition = reports.not_scheduled(pod, reports.UNSCHEDULABLE, message)
        await self._writer.set_status(pod, condition, made.promised_node)
        if made.victims is not None and not await evict(pod, made.victims, self._cluster, self._writer):
            self._queue.unpark(queued)

    async def _fail(self, queued: QueuedPod, message: str, nominated_node: str | None = None) -> None:
        """Handle an error during the scheduling of the pod in `queued`: record the error, and retry later.

        If the pod no longer needs a node, it is only removed from the queue. `nominated_node` becomes the pod's
        nominated node; "" removes the nomination, and None keeps it.
        """
        newest = self._pods.get(queued.pod.namespace, queued.pod.name)
        if newest is None or newest.uid != queued.pod.uid or node_of(newest):
            self._queue.remove(queued.pod.uid)
            return
        pod = queued.pod = PodInfo(newest)
        self._queue.retry(queued)
        await self._writer.report(pod.scheduler_name, pod, reports.failed(message))
        condition = reports.not_scheduled(pod, reports.SCHEDULER_ERROR, message)
        await self._writer.set_status(pod, condition, nominated_node)
