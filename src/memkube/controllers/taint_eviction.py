"""Evicts pods that do not tolerate a NoExecute taint of their node (``taint_eviction.go``)."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.status import set_condition
from memkube.apis.core.v1.pods.types import Pod, PodCondition
from memkube.apis.core.v1.podspec.types.scheduling import tolerates
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.pods_by_node import node_of
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

_EVICTION: Final = "TaintManagerEviction"
_ATTEMPTS: Final = 5
_LOGGER: Final = logging.getLogger("memkube.controllers")


class TaintEvictionController:
    """Deletes pods from nodes with NoExecute taints, at once or after the ``tolerationSeconds`` of the pods."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._resource = runtime.registry.find("", "v1", "pods").resource
        self._events = EventRecorder(runtime, "taint-eviction-controller")
        self._pods = runtime.informers.of("", "v1", "pods")
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._by_node = runtime.pods_by_node
        self._due: dict[tuple[str, str], tuple[str, datetime]] = {}
        """Uid of each pod that may stay for a limited time, and the time of its deletion."""
        for saved in runtime.keep("taint-eviction", self._saved):
            self._due[saved["namespace"], saved["name"]] = saved["uid"], instant(saved["due"])
        self._queue = runtime.queue("taint eviction", self._sync)
        self._pods.subscribe(self._on_pod)
        self._nodes.subscribe(self._on_node)

    def _saved(self) -> list[Document]:
        return [{"namespace": key[0], "name": key[1], "uid": uid, "due": due} for key, (uid, due) in self._due.items()]

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        assert pod is not None
        if old is not None and new is not None and _bound_tolerations(old) == _bound_tolerations(new):
            return
        if node_of(pod) and (self._taints(node_of(pod)) or _key(pod) in self._due):
            self._queue.add(_key(pod))

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and _no_execute(old) != _no_execute(new):
            for pod in self._by_node.on(new.name):
                self._queue.add(_key(pod))

    def _taints(self, node: str) -> list[Document]:
        return _no_execute(self._nodes.get("", node))

    async def _sync(self, key: tuple[str, str]) -> None:
        pod = self._pods.get(*key)
        if pod is None or self._due.get(key, (pod.uid,))[0] != pod.uid:
            await self._cancel(key)
        if pod is None:
            return
        tolerations = _matching_tolerations(self._taints(node_of(pod)), pod.document["spec"].get("tolerations") or ())
        seconds = 0 if tolerations is None else _shortest(tolerations)
        if tolerations is None or seconds is None:
            await self._cancel(key)
        if seconds is None:
            return
        now = self._runtime.clock.now()
        # Do not change the time of a planned deletion, even if the pod tolerates the taints for 0 seconds now.
        _, due = self._due.setdefault(key, (pod.uid, now + timedelta(seconds=seconds)))
        if due > now:
            self._queue.add_after(key, (due - now).total_seconds())
            return
        await self._evict(pod)
        self._due.pop(key, None)

    async def _cancel(self, key: tuple[str, str]) -> None:
        if self._due.pop(key, None) is not None:
            report = Report("Normal", _EVICTION, f"Cancelling deletion of Pod {'/'.join(key)}")
            await self._events.record(_reference(key), report)

    async def _evict(self, pod: StoredObject) -> None:
        """Delete a pod because of a taint. As in Kubernetes, a refused request is only retried a few times."""
        key = _key(pod)
        report = Report("Normal", _EVICTION, f"Marking for deletion Pod {'/'.join(key)}")
        await self._events.record(_reference(key), report)
        now = written_now(self._runtime.clock)

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            set_condition(obj.status, _disruption(obj.metadata.generation), now)

        client = self._runtime.client
        for _ in range(_ATTEMPTS):
            try:
                await client.update(self._resource, pod, change, subresource="status")
                await client.delete(self._resource, pod.namespace, pod.name, DeleteOptions())
            except ApiError as error:
                failure = error
            else:
                return
        if failure.reason != "NotFound":
            _LOGGER.warning("taint eviction: %s: %s", key, failure)


def _disruption(generation: int) -> PodCondition:
    return PodCondition(
        type="DisruptionTarget",
        status="True",
        observedGeneration=generation,
        reason="DeletionByTaintManager",
        message="Taint manager: deleting due to NoExecute taint",
    )


def _matching_tolerations(taints: Sequence[Document], tolerations: Sequence[Document]) -> list[Document] | None:
    """Return the first matching toleration for each taint, or None if a taint is not tolerated."""
    matching = [next((t for t in tolerations if tolerates(t, taint)), None) for taint in taints]
    found = [toleration for toleration in matching if toleration is not None]
    return found if len(found) == len(matching) else None


def _shortest(tolerations: Sequence[Document]) -> float | None:
    """Return the seconds for which a pod with `tolerations` may stay on its tainted node; None for no limit."""
    limits: list[float] = [t["tolerationSeconds"] for t in tolerations if t.get("tolerationSeconds") is not None]
    return max(min(limits), 0) if limits else None


def _no_execute(node: StoredObject | None) -> list[Document]:
    taints = () if node is None else node.document["spec"].get("taints") or ()
    return [taint for taint in taints if taint["effect"] == "NoExecute"]


def _bound_tolerations(pod: StoredObject) -> tuple[str, object]:
    return node_of(pod), pod.document["spec"].get("tolerations")


def _key(pod: StoredObject) -> tuple[str, str]:
    return pod.namespace, pod.name


def _reference(key: tuple[str, str]) -> ObjectReference:
    """Return an ObjectReference to a pod for Events. It has neither uid nor resourceVersion."""
    return ObjectReference(kind="Pod", apiVersion="v1", namespace=key[0], name=key[1])
