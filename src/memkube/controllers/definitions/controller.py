"""Waits for definitions; what deals with them is imported with the first one."""

from typing import TYPE_CHECKING, Final

from memkube.controllers.definitions.served import ServedDefinitions
from memkube.controllers.runtime import Runtime
from memkube.registry.lazy import Lazy
from memkube.registry.stored import StoredObject

if TYPE_CHECKING:
    from memkube.controllers.definitions.following import DefinitionFollower

_FOLLOWER: Final[Lazy["type[DefinitionFollower]"]] = Lazy(
    "memkube.controllers.definitions.following:DefinitionFollower"
)


class DefinitionController:
    """Follows definitions from the first one on."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._definitions = runtime.informers.of("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        self._queue = runtime.queue("definitions", self._sync)
        self._follower: DefinitionFollower | None = None
        self._definitions.subscribe(self._changed)
        left = runtime.registry.provided(ServedDefinitions)
        for name in left.served if left is not None else ():
            self._queue.add(name)

    def _changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        changed = new or old
        assert changed is not None
        self._queue.add(changed.name)

    async def _sync(self, name: str) -> None:
        if self._follower is None:
            self._follower = _FOLLOWER.load()(self._runtime, self._definitions, self._queue)
        await self._follower.sync(name)
