"""Index of the pods that a Service selects, and of the Services that select a pod."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from memkube.controllers.endpoints.endpoint_pods import EndpointPod, endpoint_changed, membership_changed
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

Key: TypeAlias = tuple[str, str]
"""Namespace and name of a Service."""
_Pair: TypeAlias = tuple[str, str, str]
"""Namespace of pods or Services, with the name and value of one label."""

SERVICES: Final = ("", "v1", "services")
_PODS: Final = ("", "v1", "pods")
_PART: Final = 50


class SelectedPods:
    """Index that finds the pods that a Service selects, and the Services that select a pod.

    `changed` is called with the key of a Service when the Service changes, or when a pod changes in a way that may
    affect the Service's endpoints. The cost of a change does not depend on the number of unrelated Services and pods.

    A deleted pod remains in the index until the endpoints of each of its Services were computed with the pod as
    terminating. In Kubernetes, a forced deletion takes long enough for that. Here a forced deletion marks the pod as
    terminating and removes it at the same time, so that the index must keep it.
    """

    def __init__(self, runtime: Runtime, changed: Callable[[Key], None]) -> None:
        self._changed = changed
        self._selectors: dict[Key, Mapping[str, str]] = {}
        self._services: dict[_Pair, dict[str, None]] = {}
        """Names of Services, by the first label in their selectors."""
        self._pods: dict[_Pair, dict[str, EndpointPod]] = {}
        """Pods by name, for each label that they have."""
        self._marked: dict[Key, set[Key]] = {}
        """Services of each terminating pod that were not reconciled since the pod was marked as terminating."""
        self._deleted: dict[Key, EndpointPod] = {}
        """Pods that were deleted but are still selected."""
        self.services = runtime.informers.of(*SERVICES)
        self.services.subscribe(self._on_service)
        runtime.informers.of(*_PODS).subscribe(self._on_pod)

    def of(self, service: Key) -> list[EndpointPod]:
        """Return the pods that a Service selects, for the computation of its endpoints; none without a selector."""
        selector = self._selectors.get(service)
        if not selector:
            return []
        candidates = [self._pods.get((service[0], *pair), {}) for pair in selector.items()]
        fewest = min(candidates, key=len)
        pods = [pod for pod in fewest.values() if _matches(selector, pod.labels)]
        for pod in pods if self._marked else ():
            self._release_terminating_pod(service, (pod.namespace, pod.name))
        return pods

    def _selecting(self, pod: EndpointPod) -> set[Key]:
        """Return the keys of the Services whose selectors select a pod."""
        names = (name for pair in pod.labels.items() for name in self._services.get((pod.namespace, *pair), ()))
        keys = ((pod.namespace, name) for name in names)
        return {key for key in keys if _matches(self._selectors[key], pod.labels)}

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        known = new or old
        assert known is not None
        key = known.namespace, known.name
        before = self._selectors.pop(key, {})
        now = {} if new is None else selector_of(new)
        if before != now:
            _remove(self._services, _first(key[0], before), key[1])
            for pair in _first(key[0], now):
                self._services.setdefault(pair, {})[key[1]] = None
        if now:
            self._selectors[key] = now
        if before != now:
            for pod in list(self._marked):
                self._release_terminating_pod(key, pod)
        self._changed(key)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        before = None if old is None else EndpointPod.of(old)
        if new is None:
            assert before is not None
            self._on_deleted(before)
            return
        now, key = EndpointPod.of(new), (new.namespace, new.name)
        before = before or self._deleted.pop(key, None)
        services = self._selecting(now) if before is None else self._services_to_update(before, now)
        self._drop(before)
        for pair in now.labels.items():
            self._pods.setdefault((now.namespace, *pair), {})[now.name] = now
        if now.is_terminating and services:
            self._marked[key] = set(services)
        else:
            self._marked.pop(key, None)
        for service in sorted(services):
            self._changed(service)

    def _on_deleted(self, pod: EndpointPod) -> None:
        key = pod.namespace, pod.name
        if key in self._marked:
            self._deleted[key] = pod
            return
        self._drop(pod)
        for service in sorted(self._selecting(pod)):
            self._changed(service)

    def _release_terminating_pod(self, service: Key, pod: Key) -> None:
        """Record that a Service does not need the terminating pod `pod` any more.

        That is so when the Service's endpoints were computed with the pod as terminating, or the Service no longer
        selects it. When no Service needs a deleted pod any more, the pod is removed from the index.
        """
        waiting = self._marked.get(pod, set())
        waiting.discard(service)
        if not waiting and self._marked.pop(pod, None) is not None and pod in self._deleted:
            self._on_deleted(self._deleted.pop(pod))

    def _drop(self, pod: EndpointPod | None) -> None:
        """Remove a pod from the index of pods by label."""
        if pod is not None:
            _remove(self._pods, ((pod.namespace, *pair) for pair in pod.labels.items()), pod.name)

    def _services_to_update(self, before: EndpointPod, now: EndpointPod) -> set[Key]:
        """Return the keys of the Services whose endpoints may change (``GetServicesToUpdate``).

        `before` and `now` are the pod before and after its change.
        """
        if before.uid != now.uid:
            return self._selecting(before) | self._selecting(now)
        if not membership_changed(before, now):
            return self._selecting(now) if endpoint_changed(before, now) else set()
        mine, former = self._selecting(now), self._selecting(before)
        return mine | former if endpoint_changed(before, now) else mine ^ former


async def in_parts(pods: Sequence[EndpointPod]) -> AsyncIterator[Sequence[EndpointPod]]:
    """Yield pods in parts of 50, and let other tasks run between the parts.

    While the thousands of pods of a large Service start, its endpoints are computed again and again. Without the
    pauses, the pods would start later.
    """
    for start in range(0, len(pods), _PART):
        if start:
            await asyncio.sleep(0)
        yield pods[start : start + _PART]


def selector_of(service: StoredObject) -> Mapping[str, str]:
    """Return the selector of a Service; empty if it has none, which selects no pod."""
    selector: Mapping[str, str] = service.document["spec"].get("selector") or {}
    return selector


def _matches(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(name) == value for name, value in selector.items())


def _first(namespace: str, selector: Mapping[str, str]) -> list[_Pair]:
    """Return a list with the index key of a Service: its namespace, and the first label that its selector requires.

    The list is empty if the selector is empty: such a Service is not in the index.
    """
    return [(namespace, *pair) for pair in list(selector.items())[:1]]


def _remove(
    index: "dict[_Pair, dict[str, EndpointPod]] | dict[_Pair, dict[str, None]]", pairs: Iterable[_Pair], name: str
) -> None:
    for pair in pairs:
        entries = index.get(pair)
        if entries is not None:
            entries.pop(name, None)
            if not entries:
                del index[pair]
