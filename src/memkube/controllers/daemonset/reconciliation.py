"""One reconciliation of a DaemonSet: its revisions, its pods and its status (``syncDaemonSet``)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apis.apps.v1.daemonsets.types import DaemonSet
from memkube.controllers.daemonset.history import History, Revisions
from memkube.controllers.daemonset.placement import Decision, daemon_tolerations, for_node
from memkube.controllers.daemonset.plan import FailedPodBackoffs, Plan, plan_pods
from memkube.controllers.daemonset.rolling_update import plan_rolling_update
from memkube.controllers.daemonset.status import counted_status
from memkube.controllers.daemonset.view import GENERATION_LABEL, View, by_target_node, template_generation
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.workloads.owners import Claims
from memkube.controllers.workloads.pod_control import PodControl, ignoring_namespace_termination, pod_of
from memkube.controllers.workloads.pod_owners import PodOwners
from memkube.controllers.workloads.pod_state import next_available
from memkube.controllers.workloads.revisions import CONTROLLER_REVISIONS, REVISION_HASH
from memkube.controllers.workloads.slow_start import slow_start
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

_BURST: Final = 250
"""Maximum number of pods that are created or deleted at once. The DaemonSet's pods are then counted again."""


class Tools(NamedTuple):
    """Clients, recorders and queues that all reconciliations of DaemonSets share."""

    runtime: Runtime
    events: EventRecorder
    control: PodControl
    owners: PodOwners


class Reconciliation:
    """One reconciliation of a DaemonSet: its ControllerRevisions, its pods and its status."""

    def __init__(
        self,
        tools: Tools,
        daemon_set: StoredObject,
        resource: Resource,
        decisions: Mapping[str, Decision],
        backoffs: FailedPodBackoffs,
    ) -> None:
        self._tools = tools
        self._daemon_set = daemon_set
        self._resource = resource
        self._decisions = decisions
        self._backoffs = backoffs
        self._key = daemon_set.namespace, daemon_set.name
        self._selector = tools.owners.selector(daemon_set)

    async def run(self, known_revisions: Sequence[StoredObject]) -> None:
        """Reconcile the DaemonSet's ControllerRevisions and pods, and write its status.

        `known_revisions` are the revisions that the DaemonSet controls, and revisions in its namespace that have no
        controller.

        If the pods cannot be reconciled, the status is written nevertheless, and the first ApiError or TryAgain is then
        raised. If the revisions cannot be reconciled, the ApiError is raised at once.
        """
        history = History(self._tools.runtime, self._daemon_set, self._resource)
        resource = self._tools.runtime.registry.find(*CONTROLLER_REVISIONS).resource
        revisions = await history.construct(self._claims(resource), known_revisions, self._claim_pods)
        if self._tools.owners.must_wait(self._key):
            await self._write_status(await self._view(revisions), is_observed=False)
            return
        failure: ApiError | TryAgain | None = None
        try:
            await self._advance(revisions)
            await history.clean_up(revisions, self._claim_pods)
        except (ApiError, TryAgain) as error:
            failure = error
        view = await self._view(revisions)
        try:
            await self._write_status(view, is_observed=True)
        except ApiError as error:
            failure = failure or error
        if failure is not None:
            raise failure
        pods = [pod for each in view.pods.values() for pod in each]
        if (seconds := next_available(pods, view.min_ready_seconds, view.now)) is not None:
            self._tools.owners.queue.add_after(self._key, seconds)

    async def _advance(self, revisions: Revisions) -> None:
        """Create missing pods and delete surplus pods of the DaemonSet, then continue its rolling update.

        `revisions` has the current ControllerRevision of the DaemonSet: its hash distinguishes new pods from old ones.
        The rolling update does not continue while watch events about created or deleted pods are still expected.
        """
        view = await self._view(revisions)
        await self._carry_out(plan_pods(view, self._backoffs), view)
        is_rolling = self._daemon_set.document["spec"]["updateStrategy"].get("type") == "RollingUpdate"
        if is_rolling and self._tools.owners.expected.seconds_left(self._key) <= 0:
            view = await self._view(revisions)
            await self._carry_out(plan_rolling_update(view), view)

    async def _view(self, revisions: Revisions) -> View:
        pods = by_target_node(await self._claim_pods())
        return View(self._daemon_set, revisions.hash, self._decisions, pods, self._tools.runtime.clock.now())

    async def _claim_pods(self) -> Sequence[StoredObject]:
        claims = self._claims(self._tools.control.pods)
        return await claims.claim(self._tools.owners.candidates(self._daemon_set))

    def _claims(self, objects: Resource) -> Claims:
        return Claims(self._tools.runtime, objects, self._daemon_set, self._resource, self._selector)

    async def _carry_out(self, plan: Plan, view: View) -> None:
        owners, control, daemon_set = self._tools.owners, self._tools.control, self._daemon_set
        template = _pod_template(daemon_set, view.revision)

        async def create(node: str) -> None:
            pod = pod_of(for_node(template, node), daemon_set, self._resource, control.decode)
            with ignoring_namespace_termination():
                owners.expect_creation(self._key, await control.create(pod, daemon_set))

        for report in plan.reports:
            await self._tools.events.record(daemon_set, report)
        for delay in plan.delays:
            owners.queue.add_after(self._key, delay)
        failure = await slow_start(plan.nodes[:_BURST], create)
        for pod in plan.surplus[:_BURST]:
            try:
                with owners.deleting(self._key, pod):
                    await control.delete(pod, daemon_set)
            except ApiError as error:
                if error.reason != "NotFound":
                    failure = failure or error
        if failure is not None:
            raise failure

    async def _write_status(self, view: View, *, is_observed: bool) -> None:
        """Write the numbers of nodes in `view` into the DaemonSet's status, unless the status is up to date.

        `view` has the nodes and pods of the DaemonSet. If `is_observed` is True, ``observedGeneration`` is written too.
        """
        counted, status = counted_status(view), self._daemon_set.document["status"]
        generation: int = self._daemon_set.document["metadata"]["generation"]
        is_known = status.get("observedGeneration", 0) >= generation
        if is_known and all(status.get(name, 0) == number for name, number in counted.items()):
            return

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, DaemonSet)
            observed = {"observedGeneration": generation} if is_observed else {}
            obj.status = obj.status.model_copy(update=counted | observed)

        await self._tools.runtime.client.update(self._resource, self._daemon_set, change, subresource="status")


def _pod_template(daemon_set: StoredObject, revision: str) -> Document:
    """Return the template for new pods of a DaemonSet, with its tolerations and labels (``CreatePodTemplate``)."""
    template = daemon_set.document["spec"]["template"]
    metadata, spec = template.get("metadata") or {}, template["spec"]
    labels = {**(metadata.get("labels") or {}), GENERATION_LABEL: template_generation(daemon_set)}
    if revision:
        labels[REVISION_HASH] = revision
    return {
        "metadata": {**metadata, "labels": labels},
        "spec": {**spec, "tolerations": daemon_tolerations(spec)},
    }
