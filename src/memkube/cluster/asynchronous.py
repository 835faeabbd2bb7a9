"""A cluster for programs in an event loop, which goes on while they wait: it may hold the code under test."""

import os
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from anyio import to_thread

from memkube.cluster.clock import AsyncClock, settled
from memkube.cluster.exporting import Layout, export_manifests
from memkube.cluster.faults import AsyncFaults
from memkube.cluster.manifests import Manifests, read_manifests
from memkube.cluster.requests import AsyncRequestsSeen
from memkube.cluster.running import CALL_SECONDS, Reachable, Running
from memkube.cluster.snapshots import AnySnapshot, restore_snapshot, snapshot_given, take_snapshot
from memkube.cluster.waiting import Condition, Document
from memkube.hooks.services import Listener, ServicePort
from memkube.snapshots.snapshot import Snapshot
from memkube.telemetry.object_history import ObjectHistory, object_history

if TYPE_CHECKING:
    from memkube.control.nodes import NodeState
    from memkube.controllers.kubelet.behavior import ContainerRule

T = TypeVar("T")


class AsyncMemkube(Reachable):
    """What ``async with Memkube(...) as kube`` gives: its methods are awaited, on asyncio or trio.

    The server has a thread of its own here, too. What a method guarantees and raises stands at Memkube's.
    """

    def __init__(self, running: Running) -> None:
        self._running = running
        self.faults = AsyncFaults(running)
        """What goes wrong on request."""
        self.clock = AsyncClock(running)
        """The time that the server lives by."""
        self.nodes = AsyncNodes(running)
        """The simulated nodes, which can be made to fail."""
        self.behaviors = AsyncBehaviors(running)
        """What containers do."""
        self.requests = AsyncRequestsSeen(running)
        """What was asked, by whom, and how it was answered."""
        self.webhooks = AsyncWebhooks(running)
        """Servers of the test's own that stand behind services."""

    async def start(self) -> Self:
        """Raises ServerError."""
        await to_thread.run_sync(self._running.start)
        return self

    async def stop(self) -> None:
        """Returns when nothing of the server is left."""
        await to_thread.run_sync(self._running.stop)

    async def snapshot(self) -> Snapshot:
        """See Memkube."""
        return await _answer(self._running, take_snapshot(self._running.server.registry))

    async def restore(self, snapshot: AnySnapshot) -> None:
        """See Memkube."""
        given = await to_thread.run_sync(snapshot_given, snapshot)
        await _answer(self._running, restore_snapshot(self._running.server.registry, given))

    async def export(self, folder: str | os.PathLike[str], layout: Layout = "object") -> int:
        """See Memkube."""
        return await to_thread.run_sync(export_manifests, await self.snapshot(), Path(folder), layout)

    async def fork(self) -> "AsyncMemkube":
        """See Memkube; ``async with await kube.fork() as other`` starts it."""
        return AsyncMemkube(self._running.fork(await self.snapshot()))

    async def __aenter__(self) -> Self:
        """Raises ServerError."""
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.stop()

    async def apply(
        self, *manifests: Manifests, namespace: str = "default", force: bool = False, timeout: float = CALL_SECONDS
    ) -> list[Document]:
        """See Memkube."""
        read = read_manifests(*manifests)
        return await _answer(self._running, self._running.operations.apply(read, namespace, force=force), timeout)

    async def objects(self, resource: str, namespace: str | None = None, labels: str = "") -> list[Document]:
        """See Memkube."""
        return await _answer(self._running, self._running.operations.objects(resource, namespace, labels))

    async def object(self, resource: str, name: str, namespace: str = "default") -> Document:
        """See Memkube."""
        return await _answer(self._running, self._running.operations.object(resource, name, namespace))

    async def history(self, resource: str, name: str, *, namespace: str = "default", since: int = 0) -> ObjectHistory:
        """See Memkube."""
        registry = self._running.server.registry
        return await self._running.awaited(object_history(registry, resource, name, namespace, since))

    async def settle(self, clients: Sequence[str] = (), *, silent: float = 0.1, timeout: float = 10.0) -> None:
        """See Memkube."""
        await self._running.awaited(settled(self._running, clients, silent, timeout), timeout + CALL_SECONDS)

    async def wait_for(
        self, resource: str, name: str, condition: Condition, *, namespace: str = "default", timeout: float = 10.0
    ) -> Document | None:
        """See Memkube."""
        running = self._running
        waiting = running.waiting(f"{resource} {name}", condition, timeout)
        states = await _answer(running, running.operations.watch(resource, name, namespace))
        while True:
            left = waiting.left
            for state in await _answer(running, states.next(left), left + CALL_SECONDS):
                if waiting.is_met_by(state):
                    return state


class AsyncNodes:
    """See Nodes."""

    def __init__(self, running: Running) -> None:
        self._running = running

    async def all(self) -> "list[NodeState]":
        """The simulated nodes."""
        return await _answer(self._running, self._running.controls.nodes())

    async def fail(self, name: str) -> "NodeState":
        """See Nodes."""
        return await _answer(self._running, self._running.controls.fail_node(name))

    async def recover(self, name: str) -> "NodeState":
        """See Nodes."""
        return await _answer(self._running, self._running.controls.recover_node(name))


class AsyncBehaviors:
    """See Behaviors."""

    def __init__(self, running: Running) -> None:
        self._running = running

    async def all(self) -> "dict[str, ContainerRule]":
        """See Behaviors."""
        return await _answer(self._running, self._running.controls.behaviors())

    async def put(self, name: str, rule: "ContainerRule | Mapping[str, Any]") -> None:
        """See Behaviors."""
        await _answer(self._running, self._running.controls.put_behavior(name, rule))

    async def delete(self, name: str) -> None:
        """See Behaviors."""
        await _answer(self._running, self._running.controls.delete_behavior(name))


class AsyncWebhooks:
    """See Webhooks."""

    def __init__(self, running: Running) -> None:
        self._running = running

    async def all(self) -> dict[ServicePort, Listener]:
        """See Webhooks."""
        return await _answer(self._running, self._running.controls.listeners())

    async def put(self, service: tuple[str, str, int], port: int, host: str = "127.0.0.1") -> None:
        """See Webhooks."""
        await _answer(self._running, self._running.controls.put_listener(ServicePort(*service), Listener(host, port)))

    async def delete(self, service: tuple[str, str, int]) -> None:
        """See Webhooks."""
        await _answer(self._running, self._running.controls.delete_listener(ServicePort(*service)))


async def _answer(running: Running, work: Coroutine[Any, Any, T], timeout: float = CALL_SECONDS) -> T:
    return await running.awaited(work, timeout)
