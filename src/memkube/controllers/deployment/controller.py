"""The Deployment controller: replaces pods by means of ReplicaSets (``pkg/controller/deployment``)."""

from typing import Final, TypeAlias

from memkube.apimachinery import labels
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.controllers.deployment.rollback import requested_revision, roll_back
from memkube.controllers.deployment.rollout import DEPLOYMENTS, REPLICA_SETS, Rollout
from memkube.controllers.deployment.status import deadline
from memkube.controllers.deployment.strategies import is_scaled, recreate, roll, spread
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries
from memkube.controllers.workloads.owners import Claims, OwnedObjects, controller_reference, controller_uid
from memkube.controllers.workloads.pod_control import PODS
from memkube.registry.objects.stored import StoredObject

_RETRIES: Final = Retries(most=15)
Key: TypeAlias = tuple[str, str]
"""Namespace and name of a Deployment."""


class DeploymentController:
    """Creates a ReplicaSet for each pod template of a Deployment, and moves the replicas to the newest ReplicaSet."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "deployment-controller")
        self._queue = runtime.queue("deployment", self._sync, retries=_RETRIES)
        self._deployments = runtime.informers.of(*DEPLOYMENTS)
        self._sets = runtime.informers.of(*REPLICA_SETS)
        self._pods = runtime.informers.of(*PODS)
        self._owned_sets = OwnedObjects(self._sets)
        self._owned_pods = OwnedObjects(self._pods)
        self._deployments.subscribe(self._on_deployment)
        self._sets.subscribe(self._on_set)
        self._pods.subscribe(self._on_pod)

    def _on_deployment(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._queue.add((new.namespace, new.name))

    def _on_set(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for each in (old, new):
            if each is not None:
                self._wake(each)
        if new is None or controller_uid(new):
            return
        if old is None or controller_uid(old) or old.labels != new.labels:
            for deployment in self._deployments.in_namespace(new.namespace).values():
                if _selector(deployment).matches(new.labels):
                    self._queue.add((deployment.namespace, deployment.name))

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Queue a Deployment with the strategy Recreate when its last pod has been deleted."""
        if old is None or new is not None:
            return
        reference = controller_reference(old.document)
        owner = self._sets.get(old.namespace, reference["name"]) if reference else None
        if owner is None or owner.uid != controller_uid(old):
            return
        deployment = self._deployment_of(owner)
        if deployment is None or deployment.document["spec"]["strategy"].get("type") != "Recreate":
            return
        if not any(self._owned_pods.of(each.uid) for each in self._owned_sets.of(deployment.uid)):
            self._queue.add((deployment.namespace, deployment.name))

    def _wake(self, replica_set: StoredObject) -> None:
        deployment = self._deployment_of(replica_set)
        if deployment is not None:
            self._queue.add((deployment.namespace, deployment.name))

    def _deployment_of(self, replica_set: StoredObject) -> StoredObject | None:
        reference = controller_reference(replica_set.document)
        if reference is None or reference["kind"] != "Deployment":
            return None
        deployment = self._deployments.get(replica_set.namespace, reference["name"])
        return deployment if deployment is not None and deployment.uid == reference["uid"] else None

    async def _sync(self, key: Key) -> None:
        catalog, stored = self._runtime.catalog, self._deployments.get(*key)
        deployments, sets = catalog.find(*DEPLOYMENTS), catalog.find(*REPLICA_SETS)
        if stored is None or deployments is None or sets is None:
            return
        claims = Claims(self._runtime, sets, stored, deployments, _selector(stored))
        candidates = [*self._owned_sets.of(stored.uid), *self._owned_sets.orphans(stored.namespace)]
        rollout = Rollout(self._runtime, self._events, stored, await claims.claim(candidates))
        await self._advance(rollout)
        due = deadline(rollout.deployment, rollout.deployment.status)
        if due is not None:
            self._queue.add_after(key, max((due - self._runtime.clock.now()).total_seconds(), 0) + 1)

    async def _advance(self, rollout: Rollout) -> None:
        if rollout.deployment.metadata.deletionTimestamp is not None:
            await rollout.renew()
            await rollout.write_counts()
            return
        await rollout.note_pause()
        revision, is_paused = requested_revision(rollout.deployment), rollout.deployment.spec.paused
        if revision is not None and not is_paused:
            await roll_back(rollout, revision)
        elif is_paused or is_scaled(rollout):
            await rollout.renew()
            await spread(rollout)
            if is_paused and revision is None:
                await rollout.clean_up()
            await rollout.write_counts()
        elif rollout.deployment.spec.strategy.type == "Recreate":
            await recreate(rollout, self._owned_pods.of)
        else:
            await roll(rollout)


def _selector(deployment: StoredObject) -> LabelSelector:
    selector = deployment.document["spec"].get("selector")
    try:
        return labels.from_model(None if selector is None else LabelSelectorModel.from_document(selector))
    except ValueError:
        return LabelSelector.nothing()
