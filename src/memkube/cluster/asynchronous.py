"""The class `AsyncMemkube`: a cluster for programs with an asyncio or trio event loop, which await its methods."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from anyio import to_thread

from memkube.auth.audit.audit import Audit, AuditQuery, audit
from memkube.auth.audit.roles import RoleForm
from memkube.cluster.bridge import Calls
from memkube.cluster.changes import ObjectChange, changes_since, current_revision
from memkube.cluster.clock import AsyncClock, until_settled
from memkube.cluster.exporting import Layout, export_manifests
from memkube.cluster.faults import AsyncFaults
from memkube.cluster.manifests import Manifests, read_manifests
from memkube.cluster.requests import AsyncRequestsSeen
from memkube.cluster.running import CALL_SECONDS, Reachable
from memkube.cluster.snapshots import AnySnapshot, snapshot_given
from memkube.cluster.users import AsyncUser, service_account_token, user_token
from memkube.cluster.verbs import AsyncVerbs, Documents
from memkube.cluster.waiting import Condition, Document
from memkube.control.draining import DrainedNode, DrainOptions
from memkube.control.nodes import NodeState, PoolState
from memkube.control.scheduling import PodScheduling
from memkube.controllers.kubelet.containers.behavior import ContainerRule
from memkube.controllers.pod_autoscaler.metric_values import MetricValue
from memkube.hooks.services import Listener, ServicePort
from memkube.snapshots.snapshot import Snapshot
from memkube.telemetry.object_history import ObjectHistory, object_history


class AsyncMemkube(AsyncVerbs, Reachable):
    """The object that ``async with Memkube(...) as kube`` returns. Its methods are awaited, on asyncio or trio.

    The server runs in a thread of its own, so code under test in the same event loop continues while a method waits.
    """

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls)
        self._running = calls.running
        self.faults = AsyncFaults(calls)
        """The injected faults; `faults.add` injects a fault."""
        self.clock = AsyncClock(calls)
        """The server's clock. `clock.advance` advances a stepped clock, which does not move by itself."""
        self.nodes = AsyncNodes(calls)
        """The simulated nodes; their kubelets can be stopped."""
        self.behaviors = AsyncBehaviors(calls)
        """Rules for the behavior of simulated containers."""
        self.metrics = AsyncMetrics(calls)
        """Values of custom and external metrics, for autoscalers."""
        self.requests = AsyncRequestsSeen(calls)
        """The requests that the server has received."""
        self.webhooks = AsyncWebhooks(calls)
        """Servers, usually run by the test, that are called instead of Services."""

    async def start(self) -> Self:
        """Start the server; returns once it answers requests. Raises ServerError if it cannot start."""
        await to_thread.run_sync(self._running.start)
        return self

    async def stop(self) -> None:
        """Stop the server; returns once its thread has ended and its socket is closed."""
        await to_thread.run_sync(self._running.stop)

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.stop()

    async def user(
        self, name: str, groups: Sequence[str] = (), extra: Mapping[str, Sequence[str]] | None = None
    ) -> AsyncUser:
        """Return a user, with methods that send requests as this user, a bearer token and a kubeconfig.

        `groups` are the user's groups, and `extra` has the lists of values of the user's extra fields. No object in the
        cluster represents the user. The token is valid until the server stops. If the server does not authorize
        requests, the user may do everything, but the request log still names the user.

        Raises UsageError if the name is empty or that of the anonymous user, or if `groups` is a string.
        """
        token = await self._calls.answer(user_token(self._running, name, groups, extra or {}))
        return AsyncUser(self._calls, name, token)

    async def service_account(self, namespace: str, name: str) -> AsyncUser:
        """Return a service account as a user, with a token that is valid for ten years of the server's clock.

        The ServiceAccount is created if it does not exist. Raises Refused, with 404, if the namespace does not exist.
        """
        token = await self._calls.answer(service_account_token(self._running, namespace, name))
        return AsyncUser(self._calls, f"system:serviceaccount:{namespace}:{name}", token)

    async def audit(
        self,
        who: str = "",
        *,
        agent: str = "",
        namespace: str = "",
        refused: bool = False,
        names: bool = False,
        cluster_wide: bool = False,
        after: int = 0,
    ) -> Audit:
        """Return, for each user, the smallest roles that would have allowed the user's requests in the request log.

        In a ``with Memkube() as kube`` block:

        ::

            print(kube.audit("system:serviceaccount:shop:operator"))

        `who`, `agent` and `namespace` limit the roles to the requests of a user, of a client's user agent, and in a
        namespace; all three may contain *. Without `who`, members of ``system:masters`` are left out. `after` is a
        number that `requests.answered` returned earlier: requests that had been answered then are left out.

        With `refused`, the roles give only the rights that were missing when requests were refused. With `names`, the
        rules are limited to the names of the objects in the requests. With `cluster_wide`, each user gets a single
        ClusterRole, which gives the needed rights in all namespaces, instead of a Role in each namespace.
        """
        query, form = AuditQuery(who, agent, namespace, refused, after), RoleForm("", "", names, cluster_wide)

        async def audited() -> Audit:
            return audit(self._running.server.parts.request_log, query, form)

        return await self._calls.answer(audited())

    async def snapshot(self) -> Snapshot:
        """Return a snapshot of the server's current state.

        If the clock is stepped (only `clock.advance` moves it), waits first until the controllers are idle.

        Raises Refused, with 409, if the program of a simulated container has run for too long to be saved.
        """
        return await self._calls.answer(self._running.server.parts.snapshots.take())

    async def restore(self, snapshot: AnySnapshot) -> None:
        """Replace the server's state by that of a snapshot or a snapshot file, which may come from another server.

        When the method returns, the objects exist and custom kinds are served. The objects keep their revisions; if
        another server saved the snapshot, they may be increased, to be higher than all revisions that this server has
        used. Controllers start again, as after a restart of the server. The clock is set to the time of the snapshot,
        unless it is the real clock. Writes in progress fail with 409.

        Raises SnapshotError if the file cannot be read. Raises Refused, with 501, if the server stores its objects in
        etcd, and with 422, if the file contains invalid data. In the latter case, the server returns to its previous
        state. It saves this state before it restores a file, and raises Refused, with 409, if it cannot be saved (see
        `snapshot`).
        """
        given = await self._calls.wait(partial(snapshot_given, snapshot))
        await self._calls.answer(self._running.server.parts.snapshots.restore(given))

    async def export(self, folder: str | os.PathLike[str], layout: Layout = "object") -> int:
        """Write manifests of the objects that users, not the control plane, have created; return their number.

        `layout` is ``object`` for a file per object, or ``kind`` for a file per kind. The manifests omit the fields
        that a server sets, such as status, uids and allocated addresses; `apply` accepts them. Values of Secrets are
        included. Events, Leases and IPAddresses are not written. Raises ManifestError if the folder already contains
        manifests or cannot be written, UsageError for an unknown layout, and Refused if `snapshot` raises it.
        """
        return await self._calls.wait(partial(export_manifests, await self.snapshot(), Path(folder), layout))

    async def fork(self) -> "AsyncMemkube":
        """Return a second cluster with the current state of this one; ``async with await kube.fork()`` starts it.

        The second cluster has the same options, but keeps its objects in memory. Raises UsageError if the options of
        this cluster are not known, because other code has started its server. Raises Refused if `snapshot` raises it.
        """
        return AsyncMemkube(Calls(self._running.fork(await self.snapshot())))

    async def explain_scheduling(self, name: str, namespace: str = "default") -> PodScheduling:
        """Return which node the scheduler would choose for a pod now, and the result of each plugin for each node.

        A pod with a node is treated as if it had none. Raises Refused: with 404 for an unknown pod, with 409 for a pod
        of another scheduler, and with 501 if the controller ``scheduler`` is disabled.
        """
        return await self._calls.answer(self._running.controls.explain_scheduling(name, namespace))

    async def revision(self) -> int:
        """Return the resourceVersion of the newest write to any object."""
        return await self._calls.answer(current_revision(self._running.server.registry))

    async def changes_since(self, revision: int) -> list[ObjectChange]:
        """Return the objects that were created, changed or deleted since a revision, without events and leases.

        Raises Refused, with 410, if the revision has been compacted.
        """
        return await self._calls.answer(changes_since(self._running.server.registry, revision))

    async def apply(
        self, *manifests: Manifests, namespace: str = "default", force: bool = False, timeout: float = CALL_SECONDS
    ) -> Documents:
        """Apply manifests (server-side apply), as the field manager ``memkube-python``; return the stored objects.

        Each manifest is the path of a file or folder, YAML or JSON text, a document, or a sequence of those. Custom
        resource definitions are applied first. The next objects, beginning with namespaces, are applied once the custom
        kinds are served. `namespace` is the namespace of objects that name none. `force` takes over fields of other
        field managers. If the clock is stepped (only `clock.advance` moves it), the method returns once the controllers
        have reacted.

        Raises ManifestError, before anything is written, if a manifest cannot be read. Stops and raises Refused if the
        server refuses an object, and WaitTimeout if a custom kind is not served in time. Raises CallTimeout if all this
        takes longer than `timeout` seconds of real time.
        """
        read = read_manifests(*manifests)
        return await self._calls.answer(self._running.operations.apply(read, namespace, force=force), timeout)

    async def objects(self, resource: str, namespace: str | None = None, labels: str = "") -> Documents:
        """Return the objects of a resource in one namespace, or in all namespaces, by reading the store directly.

        The resource is named as for kubectl. `labels` is a selector, such as ``app=web,tier!=cache``. Unlike `list`,
        this method sends no request, so faults do not affect it, and the request log does not record it.
        """
        return await self._calls.answer(self._running.operations.objects(resource, namespace, labels))

    async def object(self, resource: str, name: str, namespace: str = "default") -> Document:
        """Return one object by reading the store directly: unlike `get`, faults do not apply and nothing is logged."""
        return await self._calls.answer(self._running.operations.object(resource, name, namespace))

    async def history(self, resource: str, name: str, *, namespace: str = "default", since: int = 0) -> ObjectHistory:
        """Return the revisions of an object that are newer than the revision `since`.

        Each has the client that wrote it, and the lines of the object's YAML that it changed. In a
        ``with Memkube() as kube`` block:

        ::

            print(kube.history("deployments", "web"))

        Raises Refused, with 410, if the revisions since `since` have been compacted. Raises Refused, with 404, if the
        object never existed, or if the resource is unknown.
        """
        parts = self._running.server.parts
        history = object_history(parts.registry, parts.request_log, resource, name, namespace, since)
        return await self._calls.answer(history)

    async def settle(self, clients: Sequence[str] = (), *, silent: float = 0.1, timeout: float = 10.0) -> None:
        """Wait until external clients have settled: all of them, or those with the given names (see `requests.by`).

        A client has settled if all of these are true: none of its requests is in flight except watches and streams; all
        events of its watches were written to its socket; no controller of the server is working; and the client has
        sent and received nothing for `silent` seconds of real time. The server cannot observe whether the client still
        computes, so choose `silent` longer than the client may need before its next request.

        Raises WaitTimeout after `timeout` seconds of real time; the message names the busy clients.
        """
        await self._calls.answer(until_settled(self._running, clients, silent, timeout), timeout + CALL_SECONDS)

    async def wait_for(
        self, resource: str, name: str, condition: Condition, *, namespace: str = "default", timeout: float = 10.0
    ) -> Document | None:
        """Wait until an object, which need not exist yet, meets a condition. Return the object as it then is.

        The condition is one of ``kubectl wait --for``: ``create``, ``delete``, ``condition=Ready``,
        ``condition=Ready=False`` or ``jsonpath={.status.phase}=Running``. Or it is a function that takes the object and
        returns True if the condition is met. It is called with the present object, and with the object after each later
        change, but not while the object does not exist. For ``delete``, the method returns None.

        Raises WaitTimeout after `timeout` seconds of real time; its message shows the last state of the object. Raises
        UsageError for an unknown condition.
        """
        waiting = self._running.waiting(f"{resource} {name}", condition, timeout)
        states = await self._calls.answer(self._running.operations.watch(resource, name, namespace))
        left = timeout
        while True:
            for state in await self._calls.answer(states.next(left), left + CALL_SECONDS):
                if waiting.is_met_by(state):
                    return state
            left = waiting.left


class AsyncNodes:
    """The simulated nodes. Methods except `drain` raise Refused, with 501, if controller ``kubelet`` is disabled.

    Methods that act on a node raise Refused, with 404, for an unknown node. All of them except `drain` raise it with
    409 for a node that is not simulated.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def all(self) -> list[NodeState]:
        """Return the simulated nodes."""
        return await self._calls.answer(self._calls.running.controls.nodes())

    async def fail(self, name: str) -> NodeState:
        """Stop the kubelet of a node: it sends no heartbeats, and the status of its pods does not change."""
        return await self._calls.answer(self._calls.running.controls.fail_node(name))

    async def recover(self, name: str) -> NodeState:
        """Start the kubelet of a node again."""
        return await self._calls.answer(self._calls.running.controls.recover_node(name))

    async def pools(self) -> list[PoolState]:
        """Return the pools of nodes, each with its current nodes."""
        return await self._calls.answer(self._calls.running.controls.node_pools())

    async def add(self, pool: str = "", count: int = 1, *, zone: str = "") -> list[NodeState]:
        """Add `count` nodes to a pool, and return them. Without `zone`, they are spread over the zones.

        If `pool` is empty, the nodes belong to no pool. In a ``with Memkube() as kube`` block:

        ::

            (node,) = kube.nodes.add("db")

        Raises Refused: with 404 for an unknown pool, with 409 for more nodes than a server can have, and with 422 for
        an invalid argument.
        """
        return await self._calls.answer(self._calls.running.controls.add_nodes(pool, count, zone))

    async def remove(self, name: str) -> NodeState:
        """Remove a node at once, as if its machine were deleted in a cloud: its containers end, its Node is deleted.

        The pod garbage collector deletes the pods that were bound to the node after 40 seconds. To end these pods
        gracefully, `drain` the node first.
        """
        return await self._calls.answer(self._calls.running.controls.remove_node(name))

    async def reboot(self, name: str) -> NodeState:
        """Reboot a node: its containers end with exit code 255, and restart if their restart policies allow."""
        return await self._calls.answer(self._calls.running.controls.reboot_node(name))

    async def partition(self, name: str) -> NodeState:
        """Cut a node off from the API server and other nodes: its pods run on, but its kubelet writes nothing."""
        return await self._calls.answer(self._calls.running.controls.partition_node(name))

    async def heal(self, name: str) -> NodeState:
        """Reconnect a node that was cut off. Its kubelet reports at once what has happened on the node meanwhile."""
        return await self._calls.answer(self._calls.running.controls.heal_node(name))

    async def set_available(self, name: str, available: Mapping[str, Any]) -> NodeState:
        """Set the amounts of `memory`, `nodefs`, `imagefs` and `pids` that a node has available now.

        The remaining capacity counts as used by processes outside of pods. If no amount is given for a resource, only
        pods use it. If too little of a resource is available, the node reports pressure and evicts pods. In a
        ``with Memkube() as kube`` block:

        ::

            kube.nodes.set_available("node-1", {"memory": "50Mi"})
        """
        return await self._calls.answer(self._calls.running.controls.set_available(name, available))

    async def drain(self, name: str, *, force: bool = False, delete_emptydir_data: bool = False) -> DrainedNode:
        """Cordon a node and evict its pods, except those of DaemonSets, as far as disruption budgets allow.

        Returns the progress. Only as the clock advances, pods terminate and budgets allow more evictions. So advance
        the clock and repeat the call until `drained` of the result is True. In a ``with Memkube() as kube`` block:

        ::

            while not kube.nodes.drain("node-1").drained:
                kube.clock.advance(5)

        The node need not be simulated. Raises Refused, with 409, if the node has pods without a controller, unless
        `force` is True. Raises it also if the node has pods with emptyDir volumes, unless `delete_emptydir_data` is
        True. In both cases no pod is evicted. A pod whose DaemonSet does not exist counts as a pod without a
        controller.
        """
        options = DrainOptions(force=force, delete_emptydir_data=delete_emptydir_data)
        return await self._calls.answer(self._calls.running.controls.drain_node(name, options))


class AsyncBehaviors:
    """Rules for simulated containers. Methods raise Refused, with 501, if the controller ``kubelet`` is disabled."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def all(self) -> dict[str, ContainerRule]:
        """Return the rules for simulated containers, as a dictionary by the names of the rules.

        Of the rules that select a container, the first in the dictionary applies.
        """
        return await self._calls.answer(self._calls.running.controls.behaviors())

    async def put(self, name: str, rule: ContainerRule | Mapping[str, Any]) -> None:
        """Add or replace a rule for simulated containers.

        It applies to containers that start later, and at once to running containers whose command is not simulated.
        The resource use that the rule declares changes at once too. In a ``with Memkube() as kube`` block:

        ::

            kube.behaviors.put("crashing", {"image": "nginx:*", "exitCode": 1, "exitAfterSeconds": 5})
        """
        await self._calls.answer(self._calls.running.controls.put_behavior(name, rule))

    async def delete(self, name: str) -> None:
        """Delete a rule for simulated containers. Raises Refused, with 404, if no rule has this name."""
        await self._calls.answer(self._calls.running.controls.delete_behavior(name))


class AsyncMetrics:
    """Values of custom and external metrics, which HorizontalPodAutoscalers read."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def all(self) -> dict[str, MetricValue]:
        """Return the values of metrics by the names under which they were set."""
        return await self._calls.answer(self._calls.running.controls.metrics())

    async def put(self, name: str, metric: MetricValue | Mapping[str, Any]) -> None:
        """Set the value of a metric: of each pod, of one object, or of an external metric.

        In a ``with Memkube() as kube`` block:

        ::

            kube.metrics.put("hits", {"type": "Pods", "metric": "hits", "labelSelector": "app=web", "value": "20"})
            kube.metrics.put("queue", {"type": "External", "metric": "queue_length", "value": "30"})
        """
        await self._calls.answer(self._calls.running.controls.put_metric(name, metric))

    async def delete(self, name: str) -> None:
        """Remove the metric value that was set under this name. Raises Refused, with 404, if there is no such value."""
        await self._calls.answer(self._calls.running.controls.delete_metric(name))


class AsyncWebhooks:
    """TLS servers outside of the cluster that memkube calls instead of Services: webhooks and extension API servers."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def all(self) -> dict[ServicePort, Listener]:
        """Return the addresses of the servers that replace Services, by Service port."""
        return await self._calls.answer(self._calls.running.controls.listeners())

    async def put(self, service: tuple[str, str, int], port: int, host: str = "127.0.0.1") -> None:
        """Let the API server connect to `host` and `port`, instead of to a Service, whenever it calls this Service.

        It calls Services of webhooks and extension API servers. Connections that are open already are not changed.
        `service` has the Service's namespace, name and port. The Service need not exist.
        """
        work = self._calls.running.controls.put_listener(ServicePort(*service), Listener(host, port))
        await self._calls.answer(work)

    async def delete(self, service: tuple[str, str, int]) -> None:
        """Let the API server call a Service's endpoints again. Raises Refused, with 404, if no server replaces them."""
        await self._calls.answer(self._calls.running.controls.delete_listener(ServicePort(*service)))
