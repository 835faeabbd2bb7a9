"""The disruption controller: writes the status of PodDisruptionBudgets (``disruption.go``)."""

from datetime import timedelta
from typing import Final

from memkube.apimachinery import labels
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector, printed
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.status import set_condition
from memkube.apis.core.v1.pods.types import Pod, PodCondition
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget
from memkube.controllers.disruption.counting import NoScale, Owners, count, disrupted_pods, expectation, fail
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

NO_PODS: Final = Report("Normal", "NoPods", "No matching pods found")
_TARGET: Final = "DisruptionTarget"
_TIMEOUT: Final = timedelta(minutes=2)
_ENDED: Final = ("Succeeded", "Failed")
_BY_KUBELET: Final = "TerminationByKubelet"
_BUDGETS: Final = ("policy", "v1", "poddisruptionbudgets")


def unmanaged_pods(selector: LabelSelector | None) -> Report:
    """Return the Event UnmanagedPods: a budget with a percentage selects pods without a controller."""
    return Report(
        "Warning",
        "UnmanagedPods",
        f"Pods selected by this PodDisruptionBudget (selector: {printed(selector)}) were found to be unmanaged. As a "
        "result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To "
        'account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    )


def not_counted(why: str) -> Report:
    """Return the Event CalculateExpectedPodCountFailed, whose message ends with `why`.

    It reports that the number of pods that a PodDisruptionBudget expects could not be computed.
    """
    message = f"Failed to calculate the number of expected pods: {why}"
    return Report("Warning", "CalculateExpectedPodCountFailed", message)


def not_deleted(namespace: str) -> Report:
    """Return the Event NotDeleted: a pod was not deleted in time after its eviction was granted.

    As in Kubernetes, the message names the namespace instead of the PodDisruptionBudget.
    """
    message = f"Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't"
    return Report("Warning", "NotDeleted", message)


def several_budgets(pod: StoredObject, budget: str) -> Report:
    """Return the Event MultiplePodDisruptionBudgets: several budgets select a pod, so that it cannot be evicted."""
    name = f"{quoted(pod.namespace)}/{quoted(pod.name)}"
    message = f"Pod {name} matches multiple PodDisruptionBudgets.  Chose {quoted(budget)} arbitrarily."
    return Report("Warning", "MultiplePodDisruptionBudgets", message)


class StaleConditions:
    """Sets the condition DisruptionTarget to False on pods that were not deleted within two minutes."""

    def __init__(self, runtime: Runtime, pods: Informer) -> None:
        self._runtime = runtime
        self._pods = pods
        self._queue = runtime.queue("stale disruption", self._sync)
        pods.subscribe(self._on_pod)

    def _on_pod(self, _: StoredObject | None, new: StoredObject | None) -> None:
        wait = None if new is None else self._wait(new)
        if new is not None and wait is not None:
            self._queue.add_after((new.namespace, new.name), wait)

    def _wait(self, pod: StoredObject) -> float | None:
        """Return the seconds until the pod's condition DisruptionTarget must become False.

        Returns None if it need not change.
        """
        document = pod.document
        if "deletionTimestamp" in document["metadata"] or document["status"].get("phase") in _ENDED:
            return None
        conditions = document["status"].get("conditions") or []
        condition = next((c for c in conditions if c["type"] == _TARGET and c["status"] == "True"), None)
        if condition is None or condition.get("reason") == _BY_KUBELET:
            return None
        since = condition.get("lastTransitionTime")
        if since is None:
            return 0
        return max((Time(since).instant + _TIMEOUT - self._runtime.clock.now()).total_seconds(), 0)

    async def _sync(self, key: tuple[str, str]) -> None:
        pod = self._pods.get(*key)
        wait = None if pod is None else self._wait(pod)
        if pod is None or wait is None:
            return
        if wait > 0:
            self._queue.add_after(key, wait)
            return
        now = written_now(self._runtime.clock)

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            obj.metadata.resourceVersion = pod.resource_version
            condition = PodCondition(type=_TARGET, status="False", observedGeneration=obj.metadata.generation)
            set_condition(obj.status, condition, now)

        resource = self._runtime.registry.find("", "v1", "pods").resource
        await self._runtime.client.update(resource, pod, change, subresource="status")


class DisruptionController:
    """Updates the status of PodDisruptionBudgets when a budget, or a pod that it selects, has changed."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._owners = Owners(runtime)
        self._events = EventRecorder(runtime, "controllermanager")
        self._queue = runtime.queue("disruption", self._sync)
        self._contested = runtime.queue("pods of several budgets", self._report_contested)
        self._selectors: dict[str, dict[str, labels.LabelSelector]] = {}
        self._pods = runtime.informers.of("", "v1", "pods")
        self._budgets = runtime.informers.of(*_BUDGETS)
        self._budgets.subscribe(self._on_budget)
        self._pods.subscribe(self._on_pod)
        self._stale = StaleConditions(runtime, self._pods)

    def _on_budget(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._selectors.setdefault(new.namespace, {})[new.name] = _selector(new)
            self._queue.add((new.namespace, new.name))
        elif old is not None:
            self._selectors.get(old.namespace, {}).pop(old.name, None)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        assert pod is not None
        selectors = self._selectors.get(pod.namespace, {})
        names = [name for name, selector in selectors.items() if selector.matches(pod.labels)]
        for name in names:
            self._queue.add((pod.namespace, name))
        if len(names) > 1:
            self._contested.add((pod.namespace, pod.name, names[0]))

    async def _report_contested(self, key: tuple[str, str, str]) -> None:
        namespace, name, budget = key
        pod = self._pods.get(namespace, name)
        if pod is not None:
            await self._events.record(pod, several_budgets(pod, budget))

    async def _sync(self, key: tuple[str, str]) -> None:
        namespace, name = key
        resource = self._runtime.catalog.find(*_BUDGETS)
        if resource is None or self._budgets.get(namespace, name) is None:
            return
        try:
            current = await self._runtime.client.get(resource, namespace, name)
        except ApiError as error:
            if error.reason == "NotFound":
                return
            raise
        await self._count(current)

    async def _count(self, current: StoredObject) -> None:
        budget = PodDisruptionBudget.from_document(current.document)
        namespace, name = current.namespace, current.name
        instant = self._runtime.clock.now()
        now = written_now(self._runtime.clock)
        matches = _selector(current).matches
        pods = [pod for pod in self._pods.in_namespace(namespace).values() if matches(pod.labels)]
        disrupted = disrupted_pods(budget.status, pods, instant)
        if not pods:
            await self._events.record(current, NO_PODS)
        try:
            expected = await expectation(budget.spec, pods, self._owners)
            if expected.unmanaged:
                await self._events.record(current, unmanaged_pods(budget.spec.selector))
            for pod in disrupted.overdue:
                await self._events.record(pod, not_deleted(namespace))
            count(budget, expected, pods, disrupted, now)
        except NoScale as error:
            await self._events.record(current, not_counted(str(error)))
            fail(budget.status, str(error), now)
        await self._write(current, budget)
        if disrupted.next_expiry is not None:
            self._queue.add_after((namespace, name), (disrupted.next_expiry - instant).total_seconds())

    async def _write(self, current: StoredObject, counted: PodDisruptionBudget) -> None:
        def change(budget: ApiObject) -> None:
            assert isinstance(budget, PodDisruptionBudget)
            budget.metadata.resourceVersion = counted.metadata.resourceVersion
            budget.status = counted.status

        resource = self._runtime.registry.find(*_BUDGETS).resource
        if counted.to_document() != current.document:
            await self._runtime.client.update(resource, current, change, subresource="status")


def _selector(budget: StoredObject) -> labels.LabelSelector:
    spec = PodDisruptionBudget.from_document(budget.document).spec
    try:
        return labels.from_model(spec.selector)
    except ValueError:
        return labels.LabelSelector.nothing()
