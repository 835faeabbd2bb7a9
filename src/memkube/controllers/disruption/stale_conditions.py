"""Pods that were to be disrupted and are still there after two minutes: their condition is taken back."""

from datetime import timedelta
from typing import Final

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.status import set_condition
from memkube.apis.core.v1.pods.types import Pod, PodCondition
from memkube.controllers.informer import Informer
from memkube.controllers.runtime import Runtime
from memkube.registry.clock import written_now
from memkube.registry.stored import StoredObject

_TARGET: Final = "DisruptionTarget"
_TIMEOUT: Final = timedelta(minutes=2)
_ENDED: Final = ("Succeeded", "Failed")
_BY_KUBELET: Final = "TerminationByKubelet"


class StaleConditions:
    """Watches over DisruptionTarget conditions of pods that nobody has deleted."""

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
        """Seconds until the pod's condition is stale; None where it never will be."""
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
