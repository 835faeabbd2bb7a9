"""The Leases of Nodes, whose renewals are the nodes' heartbeats (``component-helpers/apimachinery/lease``)."""

from typing import Final

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.time import MicroTime
from memkube.apis.coordination.v1.leases.types import Lease
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.nodes.description import new_lease
from memkube.registry.objects.stored import StoredObject

LEASE_NAMESPACE: Final = "kube-node-lease"


class NodeLease:
    """Creates and renews the Leases of Nodes. `manager` is the name of the field manager of these writes."""

    def __init__(self, runtime: Runtime, manager: str) -> None:
        self._runtime = runtime
        self._client = runtime.client_of(manager)
        self._resource = runtime.registry.find("coordination.k8s.io", "v1", "leases").resource
        self._leases = runtime.informers.of("coordination.k8s.io", "v1", "leases")

    async def renew(self, node: StoredObject) -> None:
        """Renew the Lease of a Node, or create it if it is missing. Raises ApiError if the write is refused."""
        now = MicroTime.at(self._runtime.now_at(node.name))

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Lease)
            obj.spec.renewTime = now

        lease = self._leases.get(LEASE_NAMESPACE, node.name)
        if lease is None:
            await self._client.create(self._resource, Lease.from_document(new_lease(node, now)), LEASE_NAMESPACE)
        else:
            await self._client.update(self._resource, lease, change)
