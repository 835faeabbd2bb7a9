"""What the server provides to its controllers: informers, work queues, a client and the clock."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.available import STAGE_CONTROLLER
from memkube.controllers.framework.client import Client
from memkube.controllers.framework.event_correlation import Correlators
from memkube.controllers.framework.informers import Informers
from memkube.controllers.framework.node_machines import NodeMachines
from memkube.controllers.framework.parts import ControllerParts
from memkube.controllers.framework.pods_by_claim import PodsByClaim
from memkube.controllers.framework.pods_by_node import PodsByNode
from memkube.controllers.framework.staged_kinds import STAGES, StagedKinds
from memkube.controllers.framework.work_queue import USUAL_RETRIES, K, Retries, WorkQueue
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import LOOPBACK, User
from memkube.registry.declarations.resource import Resource
from memkube.time.clock import Clock

if TYPE_CHECKING:
    from memkube.controllers.nodes.simulated_nodes import SimulatedNodes

_EVENTS: Final = "events"
States: TypeAlias = Mapping[str, Sequence[Document]]
"""Saved state of controllers, by name: lists of JSON data, which may also contain datetimes and bytes."""


class RestoredState(NamedTuple):
    """State of all controllers from a snapshot, and the shift between revisions in the snapshot and in this server."""

    states: States
    revision_shift: int = 0
    """Number to add to a revision in the snapshot to get the corresponding revision in this server."""
    is_new: bool = False
    """True if the server is new. The restored objects then replace those that controllers create at the start."""


class Runtime:
    """Informers, work queues and the client that the controllers of one server share.

    The constructor of a controller takes a Runtime, subscribes to informers and creates queues. After that, only the
    informers and queues call the controller. State that cannot be computed from the objects is saved in snapshots with
    `keep`.
    """

    def __init__(
        self,
        parts: ControllerParts,
        options: ControllerOptions | None = None,
        restored: RestoredState | None = None,
        controllers: Collection[str] = (),
    ) -> None:
        self.parts = parts
        self.registry = registry = parts.registry
        self.controllers = controllers
        """Names of the running controllers."""
        self.options = options or ControllerOptions()
        self.informers = Informers(registry)
        self.client = self.client_of("kube-controller-manager")
        self.queues: list[WorkQueue[Any]] = []
        self.restored = restored or RestoredState({})
        """State restored from a snapshot."""
        self.cloud: SimulatedNodes | None = None
        """The simulated machines as nodes of the cloud, set by the controller ``kubelet``; None if that is disabled."""
        self.started: list[Callable[[], None]] = []
        """Functions to be called when all informers have listed their objects."""
        self.closing: list[Callable[[], None]] = []
        """Functions to be called when the controllers stop."""
        self.machines: NodeMachines | None = None
        """The simulated machines; None if the server simulates no nodes."""
        self._keepers: dict[str, Callable[[], Sequence[Document]]] = {}

    def keep(self, name: str, save: Callable[[], Sequence[Document]]) -> Sequence[Document]:
        """Register a function that returns state of a controller for snapshots.

        Snapshots contain the result of `save` under `name`, unless it is empty. The result is not copied, so the
        controller must not change it later.

        Returns the state that has this name in the restored snapshot, or an empty sequence.
        """
        self._keepers[name] = save
        return self.restored.states.get(name, ())

    def saved(self) -> dict[str, Sequence[Document]]:
        """Return the state of all controllers for a snapshot. Controllers without state are left out.

        Raises CannotBeSaved if a simulated program has had more inputs than are recorded, so that it could not be
        restored.
        """
        states = {name: save() for name, save in self._keepers.items()}
        return {name: state for name, state in states.items() if state}

    def close(self) -> None:
        """Remove all references to controllers, to break the reference cycles between them and this object."""
        self.cloud = None
        for known in (self.queues, self.started, self.closing, self._keepers):
            known.clear()
        self.machines = None

    @cached_property
    def correlators(self) -> Correlators:
        """Event correlators of the components, which count repeated events and limit the rate of Events."""
        correlators = Correlators(self.restored.states.get(_EVENTS, ()))
        self.keep(_EVENTS, correlators.saved)
        return correlators

    @cached_property
    def pods_by_node(self) -> PodsByNode:
        """Index of pods by node.

        A controller must access this before it subscribes to pods, so that the index is updated before the controller
        is called.
        """
        return PodsByNode(self.informers.of("", "v1", "pods"))

    @cached_property
    def pods_by_claim(self) -> PodsByClaim:
        """Index of pods by PersistentVolumeClaim.

        A controller must access this before it subscribes to pods, so that the index is updated before the controller
        is called.
        """
        return PodsByClaim(self.informers.of("", "v1", "pods"))

    @cached_property
    def staged_kinds(self) -> StagedKinds:
        """The kinds whose objects are simulated by Stages (KWOK) instead of controllers."""
        staged = StagedKinds(self.informers.of(*STAGES) if STAGE_CONTROLLER in self.controllers else None)
        self.closing.append(staged.close)
        return staged

    def client_of(self, manager: str, user: User = LOOPBACK) -> Client:
        """Return a client whose writes have the field manager `manager`, such as ``kube-scheduler``.

        `user` is the user whom the controller impersonates; by default it impersonates none.
        """
        return Client(self.registry, self.parts.request_log, manager, user)

    @property
    def clock(self) -> Clock:
        """The clock of the API server, which controllers use for all times and timers."""
        return self.registry.clock

    def now_at(self, node: str) -> datetime:
        """Return the time of a node's clock, which an injected fault may shift.

        If `node` is empty, return the time of the server's clock.
        """
        now, faults = self.clock.now(), self.registry.faults
        return now + faults.drift(node, now) if faults.drifting and node else now

    @property
    def catalog(self) -> Catalog:
        """Catalog of the resources that the server serves."""
        return self.registry.catalog

    def queue(
        self,
        name: str,
        process: Callable[[K], Awaitable[None]],
        *,
        retries: Retries = USUAL_RETRIES,
        max_yields: int = 0,
    ) -> WorkQueue[K]:
        """Create a work queue. When all informers have listed their objects, it begins to call `process` with each key.

        `retries` says how often, and after which delays, a key is processed again after an error. Before each key, the
        queue lets other tasks run for up to `max_yields` turns of the event loop.
        """
        measured = self.parts.measures.queues[name]
        queue = WorkQueue(name, process, self.clock, retries=retries, max_yields=max_yields, measured=measured)
        self.queues.append(queue)
        return queue

    def resource(self, api_version: str, kind: str) -> Resource | None:
        """Return the resource of a kind, or None if its apiVersion and kind are not served."""
        return self.catalog.of_kind(KindName.of(api_version, kind))
