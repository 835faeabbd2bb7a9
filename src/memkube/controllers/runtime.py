"""What a controller is built on."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from itertools import count
from typing import Any

from memkube.controllers.client import Client
from memkube.controllers.informer import Informers
from memkube.controllers.options import ControllerOptions
from memkube.controllers.work_queue import K, WorkQueue
from memkube.registry.catalog import Catalog
from memkube.registry.clock import Clock
from memkube.registry.kinds import KindName
from memkube.registry.registry import Registry
from memkube.registry.resource import Resource


class Runtime:
    """Informers, work queues and a client that the controllers of one server share.

    A controller is a class that takes a runtime and arranges everything with it when it is made: it subscribes to
    informers and asks for queues. It acts only when it is called back.
    """

    def __init__(self, registry: Registry, options: ControllerOptions | None = None) -> None:
        self.registry = registry
        self.options = options or ControllerOptions()
        self.informers = Informers(registry)
        self.client = Client(registry, "kube-controller-manager")
        self.queues: list[WorkQueue[Any]] = []
        self.event_numbers = count()
        """Keep the names of events apart that are reported in one instant."""

    def client_of(self, manager: str) -> Client:
        """A client whose changes belong to another field manager, such as ``kube-scheduler``."""
        return Client(self.registry, manager)

    @property
    def clock(self) -> Clock:
        """The time."""
        return self.registry.clock

    def now_at(self, node: str) -> datetime:
        """The present instant as a node's clock shows it, which may be wrong; on no node, as it is."""
        now, faults = self.clock.now(), self.registry.faults
        return now + faults.drift(node, now) if faults.drifting and node else now

    @property
    def catalog(self) -> Catalog:
        """What is served."""
        return self.registry.catalog

    def queue(self, name: str, process: Callable[[K], Awaitable[None]], **options: float) -> WorkQueue[K]:
        """A work queue that runs once all informers know their objects; for options see WorkQueue."""
        queue = WorkQueue(name, process, self.clock, **options)
        self.queues.append(queue)
        return queue

    def resource(self, api_version: str, kind: str) -> Resource | None:
        """The resource of a kind, if it is served."""
        return self.catalog.of_kind(KindName.of(api_version, kind))
