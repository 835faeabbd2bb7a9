"""The disruption controller (``disruption.go``)."""

from typing import Final

from memkube.apimachinery import labels
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget
from memkube.controllers.disruption.counting import count, disrupted_pods, expectation, fail
from memkube.controllers.disruption.owners import NoScale, Owners
from memkube.controllers.disruption.reports import NO_PODS, not_counted, not_deleted, several_budgets, unmanaged_pods
from memkube.controllers.disruption.stale_conditions import StaleConditions
from memkube.controllers.event_recorder import EventRecorder
from memkube.controllers.runtime import Runtime
from memkube.registry.clock import written_now
from memkube.registry.stored import StoredObject

_BUDGETS: Final = ("policy", "v1", "poddisruptionbudgets")


class DisruptionController:
    """Counts budgets anew when they, or pods that they select, change."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._owners = Owners(runtime)
        self._events = EventRecorder(runtime, "controllermanager")
        self._queue = runtime.queue("disruption", self._sync)
        self._contested = runtime.queue("pods of several budgets", self._report_contested)
        self._selectors: dict[str, dict[str, LabelSelector]] = {}
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
        # A budget that selected the pod until now counts it until something else has it counted anew.
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


def _selector(budget: StoredObject) -> LabelSelector:
    spec = PodDisruptionBudget.from_document(budget.document).spec
    try:
        return labels.from_model(spec.selector)
    except ValueError:
        return LabelSelector.nothing()
