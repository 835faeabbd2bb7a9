"""Executes Stages on the objects of the kinds that they name, as KWOK does (``pkg/kwok/controllers``)."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant
from memkube.controllers.framework.staged_kinds import STAGES
from memkube.controllers.stages.languages.cel import CelFailed
from memkube.controllers.stages.lifecycles import Lifecycle, LifecycleListener, Lifecycles
from memkube.controllers.stages.node_leases import NodeLeases
from memkube.controllers.stages.playing import Played, StagePlayer, StepFailed
from memkube.controllers.stages.stage import Candidate, Stage, chosen, data_for_jq
from memkube.registry.objects.stored import StoredObject

_LOGGER = logging.getLogger("memkube.controllers")

_PODS: Final = ResourceName("", "v1", "pods")
_NODES: Final = ResourceName("", "v1", "nodes")
_FIRST_RETRY: Final = timedelta(seconds=1)
_LONGEST_RETRY: Final = timedelta(minutes=32)
_JITTER: Final = 0.2
_MICROSECOND: Final = timedelta(microseconds=1)
_PASSING: Final = ("ServerTimeout", "Timeout", "ServiceUnavailable", "TooManyRequests")
"""Reasons of temporary API errors, after which a step of a Stage is retried."""


class ObjectKey(NamedTuple):
    """Resource, namespace and name of an object to which Stages apply."""

    resource: ResourceName
    namespace: str
    name: str


@dataclass(slots=True)
class _Plan:
    """The next Stage for one revision of an object, and the time at which it is to be executed."""

    revision: str
    stages: str
    """Fingerprint of the Stages among which the next Stage was chosen."""
    stage: str
    """Name of the next Stage; empty if there is none, or if it was executed."""
    due: datetime
    step: int = 0
    """Number of steps of the Stage that were executed."""
    retries: int = 0


class StageController:
    """Executes Stages on objects.

    Whenever an object changes, the next Stage is chosen among those that select the object. It is executed after its
    delay, unless the object changes before that. So the controller's only state is the planned Stage for the newest
    revision of each object.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._draw = runtime.registry.kind_services.random_values.drawn
        self._player = StagePlayer(runtime)
        self._queue = runtime.queue("stages", self._sync)
        self._plans = self._restored()
        self._stages = runtime.informers.of(*STAGES)
        self._by_node = runtime.pods_by_node
        self._refusals: dict[str, str] = {}
        """Reasons for refusals of Stages that were not reported yet, by the name of the Stage."""
        listener = LifecycleListener(self._object_changed, self._stages_changed, self._stage_refused)
        self._lifecycles = Lifecycles(runtime, listener)
        self._lifecycles.follow()
        self._leases = NodeLeases(runtime)
        runtime.informers.of("", "v1", "nodes").subscribe(self._node_changed)
        if runtime.machines is not None:
            runtime.machines.subscribe(self._machine_changed)

    def _restored(self) -> dict[ObjectKey, _Plan]:
        """Return the plans in the restored snapshot, by object, and register the function that saves them."""
        shift = self._runtime.restored.revision_shift
        return {
            ObjectKey(ResourceName(*one["resource"]), one["namespace"], one["name"]): _Plan(
                str(int(one["revision"]) + shift),
                one["stages"],
                one["stage"],
                instant(one["due"]),
                one["step"],
                one["retries"],
            )
            for one in self._runtime.keep("stages", self._saved)
        }

    def _saved(self) -> list[Document]:
        return [
            {
                "resource": list(key.resource),
                "namespace": key.namespace,
                "name": key.name,
                "revision": plan.revision,
                "stages": plan.stages,
                "stage": plan.stage,
                "due": plan.due,
                "step": plan.step,
                "retries": plan.retries,
            }
            for key, plan in sorted(self._plans.items())
        ]

    def _stage_refused(self, stage: str, why: str) -> None:
        self._refusals[stage] = why
        self._queue.add(ObjectKey(STAGES, "", stage))

    def _stages_changed(self, resource: ResourceName) -> None:
        """Choose the next Stage again for all objects of a resource, because its Stages have changed."""
        lifecycle = self._lifecycles.of(resource)
        if lifecycle is None:
            self._plans = {key: plan for key, plan in self._plans.items() if key.resource != resource}
            return
        for stored in lifecycle.objects:
            self._queue.add(ObjectKey(resource, stored.namespace, stored.name))

    def _object_changed(self, resource: ResourceName, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        lifecycle = self._lifecycles.of(resource)
        if lifecycle is None:
            return
        if new is None:
            lifecycle.kind.forget(stored.uid)
        self._queue.add(ObjectKey(resource, stored.namespace, stored.name))

    def _node_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is None or new is None:
            stored = new or old
            assert stored is not None
            self._machine_changed(stored.name)

    def _machine_changed(self, node: str) -> None:
        """Queue a node and its pods: the Node was created or deleted, or its machine has failed or recovered."""
        if self._lifecycles.of(_PODS) is not None:
            for pod in self._by_node.on(node):
                self._queue.add(ObjectKey(_PODS, pod.namespace, pod.name))
        if self._lifecycles.of(_NODES) is not None:
            self._queue.add(ObjectKey(_NODES, "", node))

    async def _sync(self, key: ObjectKey) -> None:
        if key.resource == STAGES and key.name in self._refusals:
            await self._report_refusal(key.name)
        lifecycle = self._lifecycles.of(key.resource)
        if lifecycle is None:
            return
        stored = lifecycle.objects.get(key.namespace, key.name)
        if stored is None or not lifecycle.kind.is_played(stored):
            self._plans.pop(key, None)
            return
        plan = self._plans.get(key)
        if plan is None or (plan.revision, plan.stages) != (stored.resource_version, lifecycle.fingerprint):
            plan = self._plans[key] = self._planned(lifecycle, stored)
        stage = lifecycle.stages.get(plan.stage)
        if stage is None:
            return
        left = (plan.due - self._clock.now()).total_seconds()
        if left > 0:
            self._queue.add_after(key, left)
        else:
            await self._play(key, plan, stage, Played(lifecycle.resource, lifecycle.kind, stored))

    def _planned(self, lifecycle: Lifecycle, stored: StoredObject) -> _Plan:
        """Choose the next Stage of the object `stored`, and the time of its execution.

        `lifecycle` has the Stages of the object's resource. Returns a plan with an empty Stage if no Stage selects the
        object, or if an expression of a selector or weight fails. As in KWOK, a delay whose expression fails is 0.
        """
        metadata, now = stored.document["metadata"], self._clock.now()
        data = data_for_jq(stored.data)
        candidate = Candidate(stored.labels, metadata.get("annotations") or {}, data, stored.document)
        plan = _Plan(stored.resource_version, lifecycle.fingerprint, "", now)
        try:
            stage = chosen(list(lifecycle.stages.values()), candidate, self._draw)
            if stage is not None:
                plan.stage = stage.name
                plan.due = now + stage.delay.of(candidate, now, self._draw)
        except CelFailed as error:
            # It is common that an object lacks a field that an expression reads, so this is not a warning.
            _LOGGER.debug("Stages of %s %s: %s", stored.kind, stored.name, error)
        return plan

    async def _play(self, key: ObjectKey, plan: _Plan, stage: Stage, played: Played) -> None:
        """Execute the remaining steps of `stage` on the object in `played`. `plan` counts the steps that were executed.

        After a temporary error, the object with this `key` is queued again, to retry the failed step.
        """
        try:
            for actions in stage.steps[plan.step :]:
                await self._player.play(actions, played)
                plan.step += 1
        except ApiError as error:
            if error.reason in _PASSING:
                plan.due, plan.retries = self._clock.now() + self._backoff(plan.retries), plan.retries + 1
                self._queue.add_after(key, (plan.due - self._clock.now()).total_seconds())
                return
            if error.reason != "NotFound":
                await self._report_failure(stage, played, str(error))
        except StepFailed as error:
            await self._report_failure(stage, played, str(error))
        plan.stage = ""

    def _backoff(self, retries: int) -> timedelta:
        wait: timedelta = min(_FIRST_RETRY * 2 ** min(retries, 32), _LONGEST_RETRY)
        return wait + _MICROSECOND * self._draw(int(wait / _MICROSECOND * _JITTER))

    async def _report_failure(self, stage: Stage, played: Played, why: str) -> None:
        stored = played.stored
        _LOGGER.warning("Stage %s failed on %s %s: %s", stage.name, stored.kind, stored.name, why)
        await self._player.warn(stored, "StageFailed", f"Stage {stage.name}: {why}")

    async def _report_refusal(self, name: str) -> None:
        why, stored = self._refusals.pop(name, ""), self._stages.get("", name)
        if why and stored is not None:
            _LOGGER.warning("Stage %s is not executed: %s", name, why)
            await self._player.warn(stored, "StageNotPlayed", why)
