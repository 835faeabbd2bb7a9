"""A cluster for programs that wait for each answer."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from memkube.cluster.asynchronous import AsyncMemkube
from memkube.cluster.changes import ObjectChange, changes_since, current_revision
from memkube.cluster.clock import Clock, settled
from memkube.cluster.exporting import Layout, export_manifests
from memkube.cluster.faults import Faults
from memkube.cluster.manifests import Manifests, read_manifests
from memkube.cluster.options import Choices, Options
from memkube.cluster.requests import RequestsSeen
from memkube.cluster.running import CALL_SECONDS, Reachable, Running
from memkube.cluster.snapshots import AnySnapshot, restore_snapshot, snapshot_given, take_snapshot
from memkube.cluster.waiting import Condition, Document
from memkube.hooks.services import Listener, ServicePort
from memkube.snapshots.snapshot import Snapshot
from memkube.telemetry.object_history import ObjectHistory, object_history

if TYPE_CHECKING:
    from memkube.control.nodes import NodeState
    from memkube.controllers.kubelet.behavior import ContainerRule


class Memkube(Reachable):
    """A Kubernetes API server, alive for the block, and as often as there is a block.

    ::

        with Memkube(nodes=3, clock="stepped") as kube:
            kube.apply("manifests/")

        async with Memkube() as kube:
            await kube.apply("manifests/")

    It has no authentication, and listens on loopback unless told otherwise. Any number of them run at once, and share
    nothing. What it is asked may be asked from any thread. `choices` are those of `Options`: ``nodes``, ``zones``,
    ``clock``, ``controllers``, ``admission`` and ``snapshot``. Raises ValueError for one that there is not.

    Every method raises Refused where the API refuses, NotRunning outside of the block, and CallTimeout where the
    server does not answer in half a minute.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, **choices: Unpack[Choices]) -> None:
        self._begin(Running(Options(**choices), host, port))

    def _begin(self, running: Running) -> None:
        self._running = running
        self.asynchronous = AsyncMemkube(self._running)
        """The same cluster, whose methods are awaited."""
        self.faults = Faults(self._running)
        """What goes wrong on request."""
        self.clock = Clock(self._running)
        """The time that the server lives by."""
        self.nodes = Nodes(self._running)
        """The simulated nodes, which can be made to fail."""
        self.behaviors = Behaviors(self._running)
        """What containers do."""
        self.requests = RequestsSeen(self._running)
        """What was asked, by whom, and how it was answered."""
        self.webhooks = Webhooks(self._running)
        """Servers of the test's own that stand behind services."""

    def __enter__(self) -> Self:
        """Raises ServerError."""
        self._running.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._running.stop()

    async def __aenter__(self) -> AsyncMemkube:
        """The same cluster, whose methods are awaited. Raises ServerError."""
        return await self.asynchronous.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.asynchronous.stop()

    def snapshot(self) -> Snapshot:
        """All of the server's state as it is now; on a stepped clock, once all is at rest. Taking one costs little.

        Refused, with 409, for a simulated program that has done more in one go than can be played again.
        """
        return self._running.answer(take_snapshot(self._running.server.registry))

    def restore(self, snapshot: AnySnapshot) -> None:
        """Has the server be as it was, be it another server that was saved. Objects keep their revisions.

        When it returns, the objects are there and custom kinds are served; controllers begin anew, as after a restart.
        Writes that are under way are refused, with 409. A stepped or a scaled clock shows the saved instant again.
        Raises SnapshotError and OSError for a file that is none.
        """
        given = snapshot_given(snapshot)
        self._running.answer(restore_snapshot(self._running.server.registry, given))

    def export(self, folder: str | os.PathLike[str], layout: Layout = "object") -> int:
        """Writes what somebody other than the cluster has written as manifests; returns of how many objects.

        `layout` is ``object`` for a file each, or ``kind``. They are without what a server sets, such as status, uids
        and chosen addresses, and `apply` takes them back, definitions first. Secrets are as they are. Raises
        ManifestError for a folder that has manifests already, and OSError.
        """
        return export_manifests(self.snapshot(), Path(folder), layout)

    def fork(self) -> "Memkube":
        """A second cluster, to be started by a block of its own, that begins as this one is now."""
        forked = object.__new__(Memkube)
        forked._begin(self._running.fork(self.snapshot()))
        return forked

    def revision(self) -> int:
        """The resourceVersion of the newest write."""
        return self._running.answer(current_revision(self._running.server.registry))

    def changes_since(self, revision: int) -> list[ObjectChange]:
        """What was made, changed and deleted since, with the differences; events and leases are left out.

        Refused, with 410, where history does not reach so far back.
        """
        return self._running.answer(changes_since(self._running.server.registry, revision))

    def apply(
        self, *manifests: Manifests, namespace: str = "default", force: bool = False, timeout: float = CALL_SECONDS
    ) -> list[Document]:
        """Applies manifests on the server's side, as the field manager ``memkube-python``; returns what is stored.

        Each is a path of a file or folder, YAML or JSON text, a document, or many of those. Definitions come first, and
        are served before anything else is applied; then namespaces. `namespace` is for objects that name none; `force`
        takes fields away from other managers. On a stepped clock it returns when controllers are at rest again.

        Raises ManifestError before anything is written; Refused and WaitTimeout at the first that fails.
        """
        read = read_manifests(*manifests)
        return self._running.answer(self._running.operations.apply(read, namespace, force=force), timeout)

    def objects(self, resource: str, namespace: str | None = None, labels: str = "") -> list[Document]:
        """The objects of a resource, by any name that kubectl knows it by, in one namespace or in all of them.

        `labels` is a selector, such as ``app=web,tier!=cache``.
        """
        return self._running.answer(self._running.operations.objects(resource, namespace, labels))

    def object(self, resource: str, name: str, namespace: str = "default") -> Document:
        """One object."""
        return self._running.answer(self._running.operations.object(resource, name, namespace))

    def history(self, resource: str, name: str, *, namespace: str = "default", since: int = 0) -> ObjectHistory:
        """What has become of an object: each revision behind `since`, who wrote it, and what was different.

        ::

            print(kube.history("deployments", "web"))

        It goes back as far as the server's history does. Refused, with 410, where what is asked for is forgotten, and
        with 404 for an object that there has not been.
        """
        registry = self._running.server.registry
        return self._running.answer(object_history(registry, resource, name, namespace, since))

    def settle(self, clients: Sequence[str] = (), *, silent: float = 0.1, timeout: float = 10.0) -> None:
        """Returns when clients outside have settled: all of them, or those of these names, as `requests.by` knows them.

        They have no request in flight then but watches and streams, and all that their watches are about has been
        written to their sockets; nothing works in the server. That is exact. What a client does with what it has been
        sent is not to be seen: so it has to ask for nothing, and be sent nothing, for `silent` seconds on the wall,
        which is a bound for how long it may think before its next request.

        Raises WaitTimeout after `timeout` seconds on the wall, which tells who is busy with what.
        """
        self._running.answer(settled(self._running, clients, silent, timeout), timeout + CALL_SECONDS)

    def wait_for(
        self, resource: str, name: str, condition: Condition, *, namespace: str = "default", timeout: float = 10.0
    ) -> Document | None:
        """Waits up to `timeout` seconds on the wall for a condition on one object, which need not exist yet.

        The condition is one of kubectl's (``create``, ``delete``, ``condition=Ready``, ``condition=Ready=False``), or a
        function that is called with each state of the object. Returns the state that met it, None for ``delete``.

        Raises WaitTimeout, which tells the last state, and ValueError for a condition that there is not.
        """
        running = self._running
        waiting = running.waiting(f"{resource} {name}", condition, timeout)
        states = running.answer(running.operations.watch(resource, name, namespace))
        while True:
            left = waiting.left
            for state in running.answer(states.next(left), left + CALL_SECONDS):
                if waiting.is_met_by(state):
                    return state


class Nodes:
    """The simulated nodes. Refused, with 501, where the controller ``kubelet`` does not run."""

    def __init__(self, running: Running) -> None:
        self._running = running

    def __iter__(self) -> "Iterator[NodeState]":
        return iter(self._running.answer(self._running.controls.nodes()))

    def fail(self, name: str) -> "NodeState":
        """Stops a node's kubelet: no heartbeats any more, and nothing changes in its pods."""
        return self._running.answer(self._running.controls.fail_node(name))

    def recover(self, name: str) -> "NodeState":
        """Starts a node's kubelet again."""
        return self._running.answer(self._running.controls.recover_node(name))


class Behaviors:
    """Rules for what containers do. Refused, with 501, where the controller ``kubelet`` does not run."""

    def __init__(self, running: Running) -> None:
        self._running = running

    def all(self) -> "dict[str, ContainerRule]":
        """The rules by name; the first that selects a container counts."""
        return self._running.answer(self._running.controls.behaviors())

    def put(self, name: str, rule: "ContainerRule | Mapping[str, Any]") -> None:
        """Adds or replaces a rule; it is about containers that start from now on.

        ::

            kube.behaviors.put("crashing", {"image": "nginx:*", "exitCode": 1, "exitAfterSeconds": 5})
        """
        self._running.answer(self._running.controls.put_behavior(name, rule))

    def delete(self, name: str) -> None:
        """Removes a rule. Refused, with 404, where there is none."""
        self._running.answer(self._running.controls.delete_behavior(name))


class Webhooks:
    """Servers outside that stand behind services, for webhooks and extension API servers. They speak TLS."""

    def __init__(self, running: Running) -> None:
        self._running = running

    def all(self) -> dict[ServicePort, Listener]:
        """Who listens behind which port of which service."""
        return self._running.answer(self._running.controls.listeners())

    def put(self, service: tuple[str, str, int], port: int, host: str = "127.0.0.1") -> None:
        """Has the server call `host` and `port` instead of a service, from the next connection on.

        The service is its namespace, its name and its port; it need not exist.
        """
        self._running.answer(self._running.controls.put_listener(ServicePort(*service), Listener(host, port)))

    def delete(self, service: tuple[str, str, int]) -> None:
        """Leaves the port to the service again. Refused, with 404, where nobody listens."""
        self._running.answer(self._running.controls.delete_listener(ServicePort(*service)))
