"""Reconciles terminating namespaces until all their objects are gone (``namespace_controller.go``)."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from memkube.controllers.available import KUBELET
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.informer import Informer, ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries, TryAgain
from memkube.controllers.namespace.content import ContentRemover
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

_GRACE: Final = 5.0
_SIMULATED_GRACE: Final = 0.5
_RETRIES: Final = Retries(longest_delay=60.0)
_PODS: Final = ResourceName("", "v1", "pods")


class NamespaceController:
    """Deletes the objects in a terminating namespace, and then removes its finalizer.

    Kubernetes begins five seconds after the deletion of the namespace, so that other API servers learn of it. If
    nodes are simulated, this controller begins after half a second, so that interactive users wait less. If objects
    remain, the controller continues when they are gone, or after the time that Kubernetes estimates.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("namespace", self._sync, retries=_RETRIES)
        self._namespaces = runtime.informers.of("", "v1", "namespaces")
        self._namespaces.subscribe(self._on_change)
        self._content: dict[ResourceName, Informer] = {}
        self._emptying: set[str] = set()

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and "deletionTimestamp" in new.document["metadata"]:
            self._queue.add_after(new.name, _SIMULATED_GRACE if KUBELET in self._runtime.controllers else _GRACE)
        elif new is None and old is not None:
            self._emptying.discard(old.name)

    def _follow(self, resources: Sequence[Resource]) -> None:
        """Watch the objects of `resources`, to continue a namespace's deletion when its last objects are deleted."""
        for resource in resources:
            name = ResourceName.of(resource)
            if name not in self._content:
                self._content[name] = self._runtime.informers.of(*name)
                self._content[name].subscribe(partial(self._on_content, name))

    def _on_content(self, name: ResourceName, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None or old is None or old.namespace not in self._emptying:
            return
        held_up = [self._content[name]] if name == _PODS else self._content.values()
        if not any(informer.in_namespace(old.namespace) for informer in held_up):
            self._queue.add(old.namespace)

    async def _sync(self, name: str) -> None:
        with ignoring_absence():
            await self._finish(name)

    async def _finish(self, name: str) -> None:

        resource = self._runtime.registry.find("", "v1", "namespaces").resource
        remover = ContentRemover(self._runtime, resource, await self._runtime.client.get(resource, "", name))
        if not remover.is_due:
            return
        self._follow(remover.resources)
        self._emptying.add(name)
        remains = await remover.remove()
        if remains.errors:
            raise TryAgain
        if remains.estimate:
            self._queue.add_after(name, remains.estimate // 2 + 1)
        else:
            await remover.finalize()
