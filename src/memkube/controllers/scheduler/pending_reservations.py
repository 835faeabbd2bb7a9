"""Reservations of nodes for pods that cannot be bound before other objects have changed (extension point PreBind)."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, TypeVar

from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.scheduler.reservation import Reservation
from memkube.registry.objects.stored import StoredObject

T = TypeVar("T")


class NotBindable(Exception):
    """Raised if a pod cannot be bound to the node that was chosen for it. The text is the reason."""


class _Pending(NamedTuple, Generic[T]):
    reservation: Reservation
    details: T
    objects: frozenset[Key]
    deadline: datetime


class PendingReservations(Generic[T]):
    """Pods for which a node was chosen, but which can be bound only after other objects, such as claims, have changed.

    `is_ready` decides whether a pod can be bound. It is called when one of the objects changes, with the pod's
    Reservation and the details that were passed to `add`. It raises NotBindable if waiting is useless.

    `end` is called when the wait of a pod ends, with the Reservation and the reason why the pod cannot be bound. The
    reason is empty if the pod can be bound, and is the text in `limit` if the time limit has passed. For a deleted pod,
    the wait ends without a call.
    """

    def __init__(
        self,
        runtime: Runtime,
        queue: str,
        is_ready: Callable[[Reservation, T], bool],
        end: Callable[[Reservation, str], Awaitable[None]],
        limit: tuple[timedelta, str],
    ) -> None:
        """Create the collection, without any pods.

        `queue` is the name of a new work queue, in which waiting pods are checked. The class says when `is_ready` and
        `end` are called. `limit` is a pair: the longest time that a pod waits, and the reason that `end` gets after it.
        """
        self._clock = runtime.clock
        self._is_ready = is_ready
        self._end = end
        self._timeout, self._late = limit
        self._pending: dict[str, _Pending[T]] = {}
        self._by_object: dict[Key, set[str]] = {}
        """Uids of the waiting pods by object."""
        self._queue = runtime.queue(queue, self._check)
        runtime.informers.of("", "v1", "pods").subscribe(self._on_pod)

    def add(self, reservation: Reservation, details: T, objects: Iterable[Key]) -> None:
        """Let the pod of a Reservation wait until it can be bound.

        This is checked now, and when one of `objects` changes: they are the keys of the objects whose changes the
        caller reports by :meth:`wake`. `details` are passed to `is_ready`.
        """
        uid = reservation.queued.pod.uid
        pending = _Pending(reservation, details, frozenset(objects), self._clock.now() + self._timeout)
        self._pending[uid] = pending
        for key in pending.objects:
            self._by_object.setdefault(key, set()).add(uid)
        self._queue.add(uid)
        self._queue.add_after(uid, self._timeout.total_seconds())

    def wake(self, *objects: Key) -> None:
        """Check again whether the pods that wait for one of `objects`, the keys of changed objects, can be bound."""
        for uid in sorted({uid for key in objects for uid in self._by_object.get(key, ())}):
            self._queue.add(uid)

    def wake_all(self) -> None:
        """Check again which of the waiting pods can be bound."""
        for uid in self._pending:
            self._queue.add(uid)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None and old is not None and old.uid in self._pending:
            self._forget(old.uid)

    async def _check(self, uid: str) -> None:
        pending = self._pending.get(uid)
        if pending is None:
            return
        failure = ""
        try:
            if not self._is_ready(pending.reservation, pending.details):
                if self._clock.now() < pending.deadline:
                    return
                failure = self._late
        except NotBindable as error:
            failure = str(error)
        self._forget(uid)
        await self._end(pending.reservation, failure)

    def _forget(self, uid: str) -> None:
        for key in self._pending.pop(uid).objects:
            uids = self._by_object.get(key, set())
            uids.discard(uid)
            if not uids:
                self._by_object.pop(key, None)
