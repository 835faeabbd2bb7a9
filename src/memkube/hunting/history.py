"""Records all changes of the objects of a cluster during a run, and checks the invariants after each change."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.cel.environment import CompileError, base_environment, compile_to
from memkube.cel.errors import BudgetExhausted, EvaluationError
from memkube.cel.program import Budget, Program
from memkube.cel.types import BOOL, DYN, list_of
from memkube.errors import UsageError
from memkube.hunting.description import Invariant
from memkube.hunting.election import is_record
from memkube.hunting.end_state import anonymous_name, is_heartbeat
from memkube.registry.reads.object_events import ObjectEvent
from memkube.registry.registry import Registry

_COST: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """A creation, update or deletion of an object during a run."""

    what: str
    """Type of the change: ``created``, ``updated`` or ``deleted``."""
    kind: str
    name: str
    """``NAMESPACE/NAME`` of the changed object, or its name if it is cluster-scoped."""
    uid: str
    seconds: float
    """Time of the change by ``time.monotonic``."""
    document: Document = field(repr=False)
    previous: Document | None = field(repr=False)

    @property
    def is_of_terminating(self) -> bool:
        """True if the object has a deletionTimestamp and still exists after the change."""
        return self.what != "deleted" and "deletionTimestamp" in self.document["metadata"]

    def resource_in(self, resources: Mapping[tuple[str, str], str]) -> str:
        """Look up the object's resource in `resources`, by apiVersion and kind; "" if the kind is not there."""
        return resources.get((self.document["apiVersion"], self.kind), "")


class History:
    """Records the changes of all objects, and checks the invariants after each change.

    Events and leader-election locks, such as Leases, are left out: they may change at any time.

    `read` runs in the server's thread. The other methods may be called from any thread while `read` is not running.
    """

    def __init__(
        self, registry: Registry, invariants: Sequence["CompiledInvariant"], ignored: Sequence[str] = ()
    ) -> None:
        """Begin to record the changes of all objects of `registry`, and to check `invariants` after each.

        Changes of the fields at the JSON pointers `ignored` do not count for `last_change`.
        """
        self._ignored = ignored
        self._new_events = registry.new_events()
        self._invariants = invariants
        self.changes: list[Change] = []
        self.objects: dict[str, Document] = {}
        """The existing objects that were created during the run, by storage key."""
        self.violated: dict[str, str] = {}
        """Description of the change that first violated an invariant, by the name of the invariant."""
        self.last_change = monotonic()
        """Time of the newest change, by ``time.monotonic``, not counting updates that only write times."""

    async def read(self) -> None:
        """Record the changes of objects since the last call."""
        async for event in self._new_events.read():
            self._take(event)

    def counts(self) -> Counter[tuple[str, str, str]]:
        """Return how often objects were created and deleted, by type of change, kind and name."""
        return Counter(
            (change.what, change.kind, anonymous_name(change.document))
            for change in self.changes
            if change.what != "updated"
        )

    def _take(self, event: ObjectEvent) -> None:
        document = event.value.document
        kind = str(document.get("kind"))
        if event.type == "deleted":
            self.objects.pop(event.key, None)
        elif event.type == "created" or event.key in self.objects:
            self.objects[event.key] = document
        if kind == "Event" or is_record(document):
            return
        now, previous = monotonic(), None if event.previous is None else event.previous.document
        if previous is None or not is_heartbeat(document, previous, self._ignored):
            self.last_change = now
        metadata = document["metadata"]
        name = f"{metadata.get('namespace', '')}/{metadata['name']}".lstrip("/")
        change = Change(event.type, kind, name, str(metadata["uid"]), now, document, previous)
        self.changes.append(change)
        for invariant in self._invariants:
            if invariant.name not in self.violated and not invariant.holds(self.objects, self.changes):
                self.violated[invariant.name] = f"{change.what} {kind} {name}"


class CompiledInvariant:
    """An invariant of the hunt's description, with its compiled CEL expression."""

    def __init__(self, invariant: Invariant) -> None:
        """Compile the expression of an invariant. Raises UsageError if it does not compile."""
        self.name = invariant.name
        environment = base_environment().extended({"objects": list_of(DYN), "history": list_of(DYN)})
        compiled = compile_to(environment, invariant.expression, BOOL)
        if isinstance(compiled, CompileError):
            detail = " ".join(compiled.detail.split())
            raise UsageError(f"invariants: {invariant.name}: {detail}")
        self._uses_history = "history" in invariant.expression
        self._program = Program(compiled)

    def holds(self, objects: Mapping[str, Document], changes: Sequence[Change]) -> bool:
        """Return True if the invariant's expression is true. An expression whose evaluation fails counts as false.

        `objects` are all objects that exist now, by key, and `changes` are all changes since the start of the run.
        """
        past: list[Document] = []
        if self._uses_history:
            past = [{"type": change.what, "object": change.document} for change in changes]
        values: dict[str, Any] = {"objects": list(objects.values()), "history": past}
        try:
            return self._program.evaluate(values, Budget(_COST), _COST) is True
        except (EvaluationError, BudgetExhausted):
            return False
