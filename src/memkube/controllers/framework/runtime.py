"""What a controller is built on."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.client import Client
from memkube.controllers.framework.event_correlation import Correlators
from memkube.controllers.framework.informers import Informers
from memkube.controllers.framework.parts import ControllerParts
from memkube.controllers.framework.pods_by_node import PodsByNode
from memkube.controllers.framework.work_queue import LONGEST_DELAY, K, WorkQueue
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.resource import Resource
from memkube.time.clock import Clock

_EVENTS: Final = "events"
States: TypeAlias = Mapping[str, Sequence[Document]]
"""What controllers keep in memory, as JSON data but for instants and bytes, by the name of who keeps it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a snapshot holds beside objects, for the controllers of a server that is restored to it."""

    states: States
    moved: int = 0
    """By how much the revisions of objects are larger than in the snapshot."""
    is_new: bool = False
    """Whether the server has no former life: its controllers have only been spared what they would do first."""


class Runtime:
    """Informers, work queues and a client that the controllers of one server share.

    A controller is a class that takes a runtime and arranges everything with it when it is made: it subscribes to
    informers and asks for queues. It acts only when it is called back. What it remembers and no object tells, a
    snapshot keeps if the controller says so (`keep`); all else is found out again, as after a restart.
    """

    def __init__(
        self,
        parts: ControllerParts,
        options: ControllerOptions | None = None,
        kept: Kept | None = None,
        controllers: Collection[str] = (),
    ) -> None:
        self.parts = parts
        self.registry = registry = parts.registry
        self.controllers = controllers
        """Names of the controllers that run."""
        self.options = options or ControllerOptions()
        self.informers = Informers(registry)
        self.client = self.client_of("kube-controller-manager")
        self.queues: list[WorkQueue[Any]] = []
        self.kept = kept or Kept({})
        """What is left of the server's former life."""
        self.started: list[Callable[[], None]] = []
        """Is called when all informers know their objects."""
        self.closing: list[Callable[[], None]] = []
        """Is called when the controllers stop."""
        self._keepers: dict[str, Callable[[], Sequence[Document]]] = {}

    def keep(self, name: str, save: Callable[[], Sequence[Document]]) -> Sequence[Document]:
        """Has snapshots hold what `save` returns; returns what was held under this name before the server was restored.

        What it returns must not change afterwards.
        """
        self._keepers[name] = save
        return self.kept.states.get(name, ())

    def saved(self) -> dict[str, Sequence[Document]]:
        """What a snapshot is to hold."""
        return {name: save() for name, save in self._keepers.items()}

    def close(self) -> None:
        """Remove the references to controllers, which all refer to the runtime."""
        for known in (self.queues, self.started, self.closing, self._keepers):
            known.clear()

    @cached_property
    def correlators(self) -> Correlators:
        """What components have reported; imported with the first that reports."""
        correlators = Correlators(self.kept.states.get(_EVENTS, ()))
        self.keep(_EVENTS, correlators.saved)
        return correlators

    @cached_property
    def pods_by_node(self) -> PodsByNode:
        """The pods that are bound to each node; whoever asks for them when they change subscribes afterwards."""
        return PodsByNode(self.informers.of("", "v1", "pods"))

    def client_of(self, manager: str) -> Client:
        """A client whose changes belong to another field manager, such as ``kube-scheduler``."""
        return Client(self.registry, self.parts.request_log, manager)

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

    def queue(
        self, name: str, process: Callable[[K], Awaitable[None]], *, longest_delay: float = LONGEST_DELAY
    ) -> WorkQueue[K]:
        """A work queue that runs once all informers know their objects."""
        measured = self.parts.measures.queues[name]
        queue = WorkQueue(name, process, self.clock, longest_delay=longest_delay, measured=measured)
        self.queues.append(queue)
        return queue

    def resource(self, api_version: str, kind: str) -> Resource | None:
        """The resource of a kind, if it is served."""
        return self.catalog.of_kind(KindName.of(api_version, kind))
