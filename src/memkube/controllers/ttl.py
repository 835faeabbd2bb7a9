"""Sets an annotation of nodes: how long kubelets cache Secrets and ConfigMaps (``pkg/controller/ttl``)."""

import re
from typing import Final, NamedTuple

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

TTL_ANNOTATION: Final = "node.alpha.kubernetes.io/ttl"
_NODES: Final = ("", "v1", "nodes")
_PAUSE: Final = 0.2
"""Seconds from a change of a node to the check of its annotation, so that several changes cause only one write."""
_is_number: Final = re.compile(r"[+-]?[0-9]+", re.ASCII).fullmatch


class _Step(NamedTuple):
    """Number of seconds for which kubelets cache Secrets and ConfigMaps in clusters of `fewest` to `most` nodes.

    The ranges of successive steps overlap. Otherwise, around the limit of a range, each added or removed node would
    change the number of seconds.
    """

    fewest: int
    most: float
    seconds: int


_STEPS: Final = (
    _Step(0, 100, 0),
    _Step(90, 500, 15),
    _Step(450, 1000, 30),
    _Step(900, 2000, 60),
    _Step(1800, float("inf"), 300),
)


class TtlController:
    """Sets an annotation of each node with the time for which its kubelet caches Secrets and ConfigMaps.

    The time depends on the number of nodes in the cluster. When it changes, each node gets the new time at its next
    change.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("ttlcontroller", self._sync)
        self._nodes = runtime.informers.of(*_NODES)
        self._count = 0
        self._step = 0
        self._nodes.subscribe(self._on_node)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        self._count += (new is not None) - (old is not None)
        step = _STEPS[self._step]
        self._step += (self._count > step.most) - (self._count < step.fewest)
        if new is not None:
            self._queue.add_after(new.name, _PAUSE)

    async def _sync(self, name: str) -> None:
        node, resource = self._nodes.get("", name), self._runtime.catalog.find(*_NODES)
        if node is None or resource is None:
            return
        seconds = _STEPS[self._step].seconds
        written = (node.document["metadata"].get("annotations") or {}).get(TTL_ANNOTATION, "")
        if _is_number(written) and int(written) == seconds:
            return

        def change(obj: ApiObject) -> None:
            obj.metadata.annotations = {**obj.metadata.annotations, TTL_ANNOTATION: str(seconds)}

        await self._runtime.client.update(resource, node, change)
