"""The StatefulSet controller: manages pods, claims and ControllerRevisions (``pkg/controller/statefulset``)."""

from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apis.apps.v1.statefulsets.types import StatefulSet, StatefulSetStatus
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.statefulset.history import History
from memkube.controllers.statefulset.pod_control import StatefulPodControl, is_member, revision_of
from memkube.controllers.statefulset.rollout import Rollout, View, complete_update, differs, new_status
from memkube.controllers.workloads.owners import Claims, OwnedObjects
from memkube.controllers.workloads.pod_owners import Key, OwnerKind, PodOwners
from memkube.controllers.workloads.pod_state import next_available
from memkube.controllers.workloads.revisions import CONTROLLER_REVISIONS
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

_STATEFUL_SETS: Final = OwnerKind(ResourceName("apps", "v1", "statefulsets"), "StatefulSet")


class StatefulSetController:
    """Manages the pods, PersistentVolumeClaims and ControllerRevisions of StatefulSets."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "statefulset-controller")
        self._revisions = OwnedObjects(runtime.informers.of(*CONTROLLER_REVISIONS))
        self._owners = PodOwners(runtime, _STATEFUL_SETS, self._sync)

    async def _sync(self, key: Key) -> None:
        resource, stateful_set = self._owners.resource, self._owners.get(key)
        if resource is None or stateful_set is None:
            return
        if self._owners.must_wait(key):
            return
        history = History(self._runtime, stateful_set, resource, await self._claim_revisions(stateful_set, resource))
        pods = await self._claim_pods(stateful_set, resource)
        now = self._runtime.clock.now()
        try:
            revisions = await history.revisions()
        except ApiError:
            await history.forget_old(map(revision_of, pods), None)
            raise
        failure = await self._advance(View(stateful_set, resource, revisions, pods, now))
        await history.forget_old(map(revision_of, pods), revisions)
        if failure is not None:
            raise failure
        min_ready: int = stateful_set.document["spec"].get("minReadySeconds", 0)
        if (seconds := next_available(pods, min_ready, now)) is not None:
            self._owners.queue.add_after(key, seconds)

    async def _advance(self, view: View) -> ApiError | None:
        """Create, repair and delete pods of the StatefulSet in `view`, as far as possible now, and write its status.

        Returns the error that ended the work on the pods, or None. Raises ApiError if the status cannot be written.
        """
        stateful_set = view.stateful_set
        control = StatefulPodControl(self._runtime, self._events, stateful_set, view.resource)
        rollout, failure = Rollout(view, control, self._owners), None
        status = new_status(stateful_set.document, rollout.counted, view.revisions, view.now)
        if "deletionTimestamp" not in stateful_set.document["metadata"]:
            try:
                await rollout.advance()
            except ApiError as error:
                failure = error
        status["currentReplicas"] -= rollout.replaced
        complete_update(stateful_set.document, status)
        await self._write_status(stateful_set, view.resource, status)
        return failure

    async def _claim_pods(self, stateful_set: StoredObject, resource: Resource) -> list[StoredObject]:
        pods = self._runtime.registry.find("", "v1", "pods").resource
        claims = _PodClaims(self._runtime, pods, stateful_set, resource, self._owners.selector(stateful_set))
        return await claims.claim(self._owners.candidates(stateful_set))

    async def _claim_revisions(self, stateful_set: StoredObject, resource: Resource) -> list[StoredObject]:
        """Return the ControllerRevisions of a StatefulSet. Orphaned ones that it selects are adopted first."""
        selector = self._owners.selector(stateful_set)
        revisions = self._runtime.registry.find(*CONTROLLER_REVISIONS).resource
        claims = Claims(self._runtime, revisions, stateful_set, resource, selector)
        own = [each for each in self._revisions.of(stateful_set.uid) if selector.matches(each.labels)]
        return own + await claims.claim(self._revisions.orphans(stateful_set.namespace))

    async def _write_status(self, stateful_set: StoredObject, resource: Resource, status: Document) -> None:
        if not differs(status, stateful_set.document["status"]):
            return

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, StatefulSet)
            obj.status = StatefulSetStatus.from_document(status)

        await self._runtime.client.update(resource, stateful_set, change, subresource="status")


class _PodClaims(Claims):
    """Adopts pods for a StatefulSet, if their names have the form of the StatefulSet's pod names."""

    def fits(self, candidate: StoredObject) -> bool:
        return is_member(candidate, self.owner)
