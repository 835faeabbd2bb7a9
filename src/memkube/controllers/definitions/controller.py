"""The controller of CustomResourceDefinitions. Most of its code is imported when the first one is created."""

import asyncio
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.errors import ApiError
from memkube.controllers.definitions.served import ServedDefinitions
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    from memkube.controllers.definitions.following import DefinitionFollower

_RESOURCE: Final = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_CATCH_UP_SECONDS: Final = 2.0
_FOLLOWER: Final[Lazy["type[DefinitionFollower]"]] = Lazy(
    "memkube.controllers.definitions.following:DefinitionFollower"
)


class DefinitionController:
    """Starts to reconcile CustomResourceDefinitions when the first one is created."""

    def __init__(self, runtime: Runtime, served: ServedDefinitions) -> None:
        """Create the controller.

        After a restore, `served` has the definitions that the controller served before the restore.
        """
        self._runtime = runtime
        self._served = served
        self._definitions = runtime.informers.of(*_RESOURCE)
        self._queue = runtime.queue("definitions", self._sync)
        self._follower: DefinitionFollower | None = None
        self._first: set[str] = set()
        """Names of the CustomResourceDefinitions that existed at the start and were not handled yet."""
        self._definitions.subscribe(self._changed)
        for name in served.served:
            self._queue.add(name)

    def unserved(self) -> list[str]:
        return sorted(self._first)

    async def caught_up(self, group: str, plural: str) -> bool:
        """Wait until the API server serves the kind of an established definition.

        Returns False if there is no such definition, or if its kind is not served within a few seconds of real time.
        """
        try:
            stored = await self._runtime.registry.find(*_RESOURCE).get("", f"{plural}.{group}")
        except ApiError:
            return False
        versions = [version["name"] for version in stored.document["spec"]["versions"] if version["served"]]
        catalog, served = self._runtime.catalog, asyncio.Event()
        conditions = stored.document["status"].get("conditions") or ()
        if not any(c["type"] == "Established" and c["status"] == "True" for c in conditions):
            return False

        def look() -> None:
            if any(catalog.find(group, version, plural) is not None for version in versions):
                served.set()

        end = catalog.on_change(look)
        try:
            look()
            await asyncio.wait_for(served.wait(), _CATCH_UP_SECONDS)
        except TimeoutError:
            return False
        finally:
            end()
        return True

    def _changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        changed = new or old
        assert changed is not None
        if _RESOURCE[2] in self._runtime.informers.unsynced():
            self._first.add(changed.name)
        self._queue.add(changed.name)

    async def _sync(self, name: str) -> None:
        if self._follower is None:
            self._follower = _FOLLOWER.load()(self._runtime, self._definitions, self._queue, self._served)
        await self._follower.sync(name)
        self._first.discard(name)
