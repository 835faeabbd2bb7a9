"""Checks whether a history is linearizable in the order that the server itself claims.

Finding out whether *any* order explains a history is NP-complete. Checkers that search for one (Knossos in Clojure,
Porcupine in Go; none is maintained for Python) handle one key at a time and some hundred operations. No search is
needed here. Kubernetes promises more than linearizability: each change has a revision, and revisions are one order of
all changes that clients may compare (KEP-5504). So there is one order to try, and a history that only another order
explains is as wrong as one that no order explains.

**The reduction.** Let the state of the store at position p be the result of all changes with revisions up to p, applied
to an empty store. A write that took effect has the position of its revision. Every other operation (get, list, refused
write) reports something about the state, and may have any position at which the report is true. The history is
linearizable in the claimed order if and only if positions can be chosen such that (1) each change is the result of its
write on the state before it, (2) at each operation's position the state is as reported to the client, and (3) whenever
A was answered before B was sent, A's position is not greater than B's, and is smaller than B's if B is a write.

*If:* sort by position, with a write before the operations that read it, and these by the time they were sent. By (3)
the order respects real time: if A was answered before B was sent, A has the smaller position, or the same one, and then
either both are reads and are sorted by time, or A is the write. By (1) and (2) the responses are those of a single copy
of the store that carries out one operation at a time. *Only if:* an order that explains all responses, with the changes
sorted by revision, gives the positions.

**The check.** (3) only ever increases positions, so the least positions satisfy it if any do. Going through the history
in the order of time, the least position of an operation is the first one at which the state is as reported and which is
not before the position of any operation answered by the time this one was sent. That takes one running maximum and a
binary search in the versions of its key, O(n log n) in total, for reads of all keys together instead of each key alone;
200,000 operations take seconds.

A write without a response has taken effect if the watchers received its change. It must have done so once, and later
than everything answered before it was sent.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proofs.history import WRITER, WRITES, Change, Data, History, Operation
from proofs.watches import changes_seen, first_gap, wrong_watches

_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class _Versions:
    """The changes of one key in order."""

    revisions: Sequence[int]
    changes: Sequence[Change]

    def at(self, position: int) -> Change | None:
        """Return the last change up to `position`; None if the object does not exist at that position."""
        index = bisect_right(self.revisions, position) - 1
        return None if index < 0 or self.changes[index].type == "DELETED" else self.changes[index]

    def first(self, position: int, operation: Operation) -> int:
        """Return the first position, not before `position`, at which the response is true; _NEVER if there is none."""
        if _true(operation, self.at(position)):
            return position
        for index in range(bisect_right(self.revisions, position), len(self.revisions)):
            if _true(operation, self.at(self.revisions[index])):
                return self.revisions[index]
        return _NEVER


def violations(history: History) -> Iterator[str]:
    """Yield the violations in words; none if the history is linearizable and every watcher saw all of it."""
    changes = changes_seen(history.watched)
    if (missing := first_gap(history)) is not None:
        yield f"no watcher saw all changes after revision {missing}, so losses after it cannot be detected"
        return
    yield from wrong_watches(history, changes)
    by_key: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_key[change.key].append(change)
    versions = {key: _Versions([each.revision for each in found], found) for key, found in by_key.items()}
    writes = {operation.name: operation for operation in history.operations if operation.verb in WRITES}
    took_effect: dict[str, int] = {}
    for key, found in by_key.items():
        yield from _wrong_versions(found, writes, took_effect)
        deletions = [each for each in history.operations if each.verb == "delete" and each.key == key]
        yield from _wrong_deletions(key, found, deletions, took_effect)
    yield from _lost(history.operations, took_effect)
    yield from _wrong_positions(history, versions, took_effect)
    if (left := _state(versions, history.ended)) != history.final:
        yield f"the final list is {dict(history.final)}, but the changes result in {left}"


def _wrong_versions(
    changes: Sequence[Change], writes: Mapping[str, Operation], took_effect: dict[str, int]
) -> Iterator[str]:
    """Check condition (1) for one key, and record the revision of each write that made a change, except deletions."""
    before: Change | None = None
    for change in changes:
        if (change.type == "ADDED") != (before is None):
            yield f"{_told(change)} comes after {_told(before)}"
        if change.type == "DELETED":
            if before is not None and (change.data, change.uid) != (before.data, before.uid):
                yield f"{_told(change)} deletes another state than {_told(before)}"
            before = None
            continue
        name = change.data.get(WRITER, "")
        write = writes.get(name)
        if write is None or write.key != change.key:
            yield f"{_told(change)} was not requested by any client"
        elif name in took_effect:
            yield f"{_told(change)} had already happened at {took_effect[name]}"
        elif write.outcome not in ("done", "unknown"):
            yield f"{_told(change)} was reported as refused: {write.outcome}"
        else:
            took_effect[name] = change.revision
            yield from _wrong_effect(change, before, write)
        before = change


def _wrong_effect(change: Change, before: Change | None, write: Operation) -> Iterator[str]:
    if (write.verb == "create") != (before is None):
        yield f"{_told(change)} is a {write.verb} after {_told(before)}"
    elif before is not None and write.expected not in (0, before.revision):
        yield f"{_told(change)} lost an update: it replaced {before.revision} instead of {write.expected}"
    expected: Data = {**before.data, **write.data} if write.verb == "patch" and before else write.data
    if change.data != expected:
        yield f"{_told(change)} should have resulted in {dict(expected)}"
    if before is not None and change.uid != before.uid:
        yield f"{_told(change)} has another uid than {_told(before)}"


def _wrong_deletions(
    key: str, changes: Sequence[Change], deletions: Sequence[Operation], took_effect: dict[str, int]
) -> Iterator[str]:
    """Match every deletion with the request that made it.

    A request whose response has the object's uid made the deletion; otherwise one without a response must have made it.
    """
    told = {each.uid: each for each in deletions if each.outcome == "done"}
    if len(told) != sum(each.outcome == "done" for each in deletions):
        yield f"{key}: two clients were told that they had deleted the same object"
    open_ones = [each for each in deletions if each.outcome == "unknown"]
    # Prefer the requests that match the fewest deletions: those with a precondition, then those sent first.
    open_ones.sort(key=lambda each: (not each.expected, each.invoked))
    replaced = dict(zip((each.revision for each in changes[1:]), changes, strict=False))
    for change in changes:
        if change.type != "DELETED":
            continue
        was = replaced[change.revision].revision if change.revision in replaced else 0
        write = told.get(change.uid) or next((each for each in open_ones if each.expected in (0, was)), None)
        if write is None:
            yield f"{_told(change)} is a deletion that no client requested"
            continue
        if write.outcome == "unknown":
            open_ones.remove(write)
        elif write.expected not in (0, was):
            yield f"{_told(change)} lost an update: it deleted {was} instead of {write.expected}"
        took_effect[write.name] = change.revision


def _lost(operations: Sequence[Operation], took_effect: Mapping[str, int]) -> Iterator[str]:
    for operation in operations:
        if operation.verb not in WRITES or operation.outcome != "done":
            continue
        revision = took_effect.get(operation.name)
        if revision is None:
            yield f"{_asked(operation)} was acknowledged and never happened"
        elif operation.revision and operation.revision != revision:
            yield f"{_asked(operation)} happened at {revision}"


def _wrong_positions(
    history: History, versions: Mapping[str, _Versions], took_effect: Mapping[str, int]
) -> Iterator[str]:
    """Check conditions (2) and (3): compute the least positions, in the order of the requests and responses."""
    operations = history.operations
    moments = [(each.returned, 1, index) for index, each in enumerate(operations) if each.outcome != "unknown"]
    moments += [(each.invoked, 0, index) for index, each in enumerate(operations)]
    reached, since, positions = history.begun, "the beginning", [0] * len(operations)
    for _, answered, index in sorted(moments):
        operation = operations[index]
        if answered:
            if positions[index] > reached:
                reached, since = positions[index], _asked(operation)
        elif operation.name in took_effect:
            positions[index] = took_effect[operation.name]
            if positions[index] <= reached:
                happened = f"happened at {positions[index]}, before {reached}"
                yield f"{_asked(operation)} {happened}, which was already observed by {since}"
        elif operation.outcome != "unknown":
            wrong, positions[index] = _least_position(operation, reached, versions)
            if wrong:
                yield f"{_asked(operation)} {wrong}, {reached} was already observed by {since}"


def _least_position(operation: Operation, reached: int, versions: Mapping[str, _Versions]) -> tuple[str, int]:
    """Return what is wrong with an operation that changed nothing, or "", and its position."""
    if operation.verb == "list":
        if operation.revision < reached:
            return "is stale", reached
        state = _state(versions, operation.revision)
        return (
            "" if state == operation.listed else f"shows {dict(operation.listed)} and not {state}"
        ), operation.revision
    known = versions.get(operation.key, _Versions((), ()))
    position = known.first(reached, operation)
    if position != _NEVER:
        return "", position
    return "is stale or was never true", reached


def _true(operation: Operation, state: Change | None) -> bool:
    """True if this state of its object explains the response to an operation."""
    match operation.outcome:
        case "absent":
            return state is None
        case "exists":
            return state is not None
        case "conflict":
            return state is not None and state.revision != operation.expected
        case _:
            return state is not None and (state.revision, state.data) == (operation.revision, operation.data)


def _state(versions: Mapping[str, _Versions], position: int) -> dict[str, int]:
    found = {key: known.at(position) for key, known in versions.items()}
    return {key: change.revision for key, change in found.items() if change is not None}


def _asked(operation: Operation) -> str:
    key = operation.key or "all"
    told = f"{operation.outcome} {operation.revision or ''}".strip()
    return f"{operation.verb} {operation.name} of {key} by client {operation.client} ({told})"


def _told(change: Change | None) -> str:
    return f"{change.type} {change.key} at {change.revision} {dict(change.data)}" if change else "nothing"
