"""The initial nodes, stored as kubelets and node controllers would write them.

If the controllers created the nodes with requests, the server would take a fifth longer to start, and import the models
and strategies of Nodes, Leases and Events. So this module stores the finished objects, and the controllers take over
these nodes as after a restart.
"""

from datetime import datetime
from typing import Final

from memkube.admission.available import default_plugins
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import MicroTime, Time
from memkube.controllers.available import KUBELET, NODE_LIFECYCLE, TTL
from memkube.controllers.framework.event_correlation import Correlators, ObjectIdentity
from memkube.controllers.framework.event_recorder import new_event_name
from memkube.controllers.framework.runtime import RestoredState
from memkube.controllers.framework.saved_values import NODES
from memkube.controllers.node_lifecycle.pods import NODE_EVENTS, registered
from memkube.controllers.nodes.description import LEASE_SECONDS, new_node
from memkube.controllers.nodes.simulated_node import SimulatedNode, standard_node
from memkube.controllers.ttl import TTL_ANNOTATION
from memkube.registry.objects.dependents import Dependents
from memkube.registry.registry import Registry
from memkube.registry.writes.initial_objects import InitialObject, Owned
from memkube.server.settings import Settings, pods_have_accounts

MOST: Final = 3
"""Maximum number of nodes to store directly. With more nodes, the node controller would act before all are
registered."""
_NEEDED: Final = frozenset({KUBELET, NODE_LIFECYCLE})
_LEASES: Final = "kube-node-lease"
_NODES: Final = ("", "v1", "nodes")


async def create_nodes(registry: Registry, dependents: Dependents, settings: Settings) -> RestoredState | None:
    """Store the nodes of a new server, with their leases and events, as kubelets and node controllers would write them.

    Return the state that these controllers would have after their writes, in the form of a snapshot. `dependents`
    records whether the server needs the garbage collector; the leases of the nodes are not recorded there.

    Return None and store nothing if the controllers could write other objects, for example with additional admission
    plugins, or if requests of controllers are logged. The controllers then create the nodes themselves.
    """
    if not _are_the_same(settings):
        return None
    options = settings.controller_options
    random_values = registry.kind_services.random_values
    machines = [standard_node(number, options.zones, random_values) for number in range(1, options.nodes + 1)]
    now = registry.clock.now()
    # An object with an owner is recorded as a dependent, which starts the garbage collector. The leases have nodes as
    # owners, but need no garbage collector while the nodes exist, so a listener that does nothing prevents the record.
    dependents.listen(lambda _: None)
    kept = [await _register(registry, machine, now) for machine in machines]
    dependents.listen(None)
    lifecycle = await _admit(registry, machines, now)
    if TTL in settings.controllers:
        for machine in machines:
            await _annotate(registry, machine, now)
    return RestoredState({NODES: kept, **lifecycle}, is_new=True)


def _are_the_same(settings: Settings) -> bool:
    return (
        set(settings.controllers) >= _NEEDED
        and 0 < settings.controller_options.nodes <= MOST
        and not settings.controller_options.node_pools
        and settings.plugins == default_plugins(have_accounts=pods_have_accounts(settings.controllers))
        and not settings.requests.controllers
    )


async def _register(registry: Registry, machine: SimulatedNode, now: datetime) -> Document:
    """Store the Node of `machine` and its lease as the kubelet would. Return the kubelet's state as in a snapshot."""
    uid = registry.new_uid()
    node = _node(machine, uid, Time.at(now), tainted=True)
    await registry.store_initial(node, _lease(machine.name, uid, MicroTime.at(now)))
    stored = await registry.find(*_NODES).get("", machine.name)
    return {
        "name": machine.name,
        "number": machine.number,
        "zone": machine.zone,
        "failed": False,
        "identities": machine.identities,
        "starting": False,
        "reported": (stored.resource_version, now),
        "beats": None,
    }


async def _admit(registry: Registry, machines: list[SimulatedNode], now: datetime) -> dict[str, list[Document]]:
    """Remove the ``not-ready`` taints of the Nodes of `machines`, and store RegisteredNode Events.

    The node lifecycle controller would make the same writes. Return the state that this controller, and the code that
    aggregates its repeated Events, would have after these writes, in the form of a snapshot.
    """
    correlators, reported = Correlators(()), {}
    for machine in machines:
        name = machine.name
        uid = (await registry.find(*_NODES).get("", name)).uid
        about = ObjectIdentity("Node", "", name, uid, "v1")
        event_name = new_event_name(name, now, correlators.next_number())
        correlators.of(NODE_EVENTS, "").correlate(about, registered(name), event_name, now)
        await registry.overwrite_initial(_node(machine, uid, Time.at(now), tainted=False))
        await registry.store_initial(_event(event_name, name, uid, Time.at(now)))
        reported[name] = uid
    heartbeats: Document = {"seen": {}, "reports": {}, "renewals": {}}
    lifecycle = {"heartbeats": heartbeats, "reported": reported, "zones": [], "taints": []}
    return {"node-lifecycle": [lifecycle], "events": correlators.saved()}


async def _annotate(registry: Registry, machine: SimulatedNode, now: datetime) -> None:
    """Add the annotation ``node.alpha.kubernetes.io/ttl`` to the Node of `machine`, as the TTL controller would."""
    uid = (await registry.find(*_NODES).get("", machine.name)).uid
    node = _node(machine, uid, Time.at(now), tainted=False)
    node.document["metadata"]["annotations"][TTL_ANNOTATION] = "0"
    fields: Document = {"f:metadata": {"f:annotations": {f"f:{TTL_ANNOTATION}": {}}}}
    await registry.overwrite_initial(node._replace(owners=[Owned(fields, "kube-controller-manager"), *node.owners]))


def _node(machine: SimulatedNode, uid: str, now: Time, *, tainted: bool) -> InitialObject:
    """Return the Node of `machine` as its kubelet registers it; with the taint ``not-ready`` if `tainted` is true."""
    document = new_node(machine, now)
    metadata, spec = document["metadata"], document["spec"]
    named = {name: {".": {}, **_fields(metadata[name])} for name in ("annotations", "labels")}
    blocks: Document = {".": {}, **{f'v:"{block}"': {} for block in spec["podCIDRs"]}}
    fields = {"f:metadata": _fields(named, named), "f:spec": {"f:podCIDR": {}, "f:podCIDRs": blocks}}
    if tainted:
        spec["taints"] = [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]
    body = {name: document[name] for name in ("metadata", "spec", "status")}
    return InitialObject(_NODES, body, [Owned(fields, "kubelet")], uid)


def _lease(name: str, node_uid: str, now: MicroTime) -> InitialObject:
    owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node_uid}
    spec = {"holderIdentity": name, "leaseDurationSeconds": LEASE_SECONDS, "renewTime": now}
    owners: Document = {".": {}, f'k:{{"uid":"{node_uid}"}}': {}}
    fields = {"f:metadata": {"f:ownerReferences": owners}, "f:spec": _fields(spec)}
    body = {"metadata": {"name": name, "namespace": _LEASES, "ownerReferences": [owner]}, "spec": spec}
    return InitialObject(("coordination.k8s.io", "v1", "leases"), body, [Owned(fields, "kubelet")])


def _event(name: str, node: str, node_uid: str, now: Time) -> InitialObject:
    what = registered(node)
    fields_of_event = {
        "involvedObject": {"kind": "Node", "name": node, "uid": node_uid, "apiVersion": "v1"},
        "reason": what.reason,
        "message": what.message,
        "source": {"component": NODE_EVENTS},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
        "type": what.type,
        "eventTime": None,
        "reportingComponent": NODE_EVENTS,
        "reportingInstance": "",
    }
    owned = sorted(fields_of_event.keys() - {"eventTime", "reportingInstance"})
    fields: Document = {f"f:{name}": {"f:component": {}} if name == "source" else {} for name in owned}
    body = {"metadata": {"name": name, "namespace": "default"}, **fields_of_event}
    return InitialObject(("", "v1", "events"), body, [Owned(fields, "kube-controller-manager")])


def _fields(values: Document, below: Document | None = None) -> Document:
    return {f"f:{name}": below[name] if below else {} for name in sorted(values)}
