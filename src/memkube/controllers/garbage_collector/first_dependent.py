"""Detects the first object that needs the garbage collector, because this controller is only created then."""

from collections.abc import Callable
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject
from memkube.registry.writes.deletion import FOREGROUND, ORPHAN

_LEASE_NAMESPACE: Final = "kube-node-lease"


class FirstDependent:
    """Calls `wake` when the first object that may need the garbage collector is written.

    An object may need it if the object has an owner, or is deleted with a propagation policy. The Leases of existing
    nodes are an exception, although the nodes own them: they need the garbage collector only when a node is deleted.
    """

    def __init__(self, runtime: Runtime, wake: Callable[[], None]) -> None:
        self._dependents = dependents = runtime.parts.dependents
        self._runtime = runtime
        self._wake = wake
        self._leases: dict[str, StoredObject] = {}
        runtime.informers.of("", "v1", "nodes").subscribe(self._on_node)
        dependents.listen(self._on_write)
        runtime.closing.append(lambda: dependents.listen(None))

    async def exists(self) -> bool:
        """True if any object exists that may need the garbage collector."""
        while self._leases and not self._dependents.may_exist:
            _, lease = self._leases.popitem()
            if not await self._is_held(lease):
                self._dependents.may_exist = True
        return self._dependents.may_exist

    def _on_write(self, written: StoredObject) -> None:
        if written.kind == "Lease" and written.namespace == _LEASE_NAMESPACE and not _is_special(written):
            self._leases[written.name] = written
        elif written.document["metadata"].get("ownerReferences") or _is_special(written):
            self._dependents.may_exist = True
        else:
            return
        self._wake()

    def _on_node(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            self._dependents.may_exist = True
            self._wake()

    async def _is_held(self, lease: StoredObject) -> bool:
        """True if the Lease's only owner is an existing Node, so that it does not need the garbage collector now."""
        owners = lease.document["metadata"].get("ownerReferences") or []
        if [(owner["apiVersion"], owner["kind"]) for owner in owners] != [("v1", "Node")]:
            return False
        try:
            node = await self._runtime.registry.find("", "v1", "nodes").get("", owners[0]["name"])
        except ApiError:
            return False
        return bool(node.uid == owners[0]["uid"])


def _is_special(written: StoredObject) -> bool:
    finalizers = written.document["metadata"].get("finalizers") or ()
    return FOREGROUND in finalizers or ORPHAN in finalizers
