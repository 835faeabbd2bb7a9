"""Watches: changes of the selected objects after a revision, optionally with initial events (KEP-3157).

If the history after the revision has been compacted, this module raises the 410 error (Expired).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.errors import ApiError, expired
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.faults.active import MakeAsker
from memkube.registry.declarations.request_options import WatchOptions
from memkube.registry.objects.conversion import ConvertedStorage
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection
from memkube.registry.reads.indexing import match_of, matches_of
from memkube.registry.reads.listing import Matches, matcher, too_large_version
from memkube.registry.reads.revisions import requested_revision
from memkube.registry.reads.watch_events import (
    INITIAL_EVENTS_END,
    WATCH_EXPIRED,
    WatchEnded,
    WatchEvent,
    WatchEventType,
)
from memkube.registry.reads.watch_faults import WatchFaults
from memkube.storage.errors import RevisionCompacted, RevisionInFuture, StorageClosed
from memkube.storage.interface import Event, Page, Watcher
from memkube.time.turns import Turns

if TYPE_CHECKING:
    from memkube.faults.attributes import RequestAttributes
    from memkube.faults.effects import CloseWatch

_BATCH_BYTES: Final = 96 * 1024
_MATCHED_AT_ONCE: Final = 256
_NOTHING: Final[Iterator[Sequence[WatchEvent]]] = iter(())
_TYPES: Final[dict[str, WatchEventType]] = {"created": "ADDED", "updated": "MODIFIED", "deleted": "DELETED"}


class ObjectWatch:
    """A watch of the objects of one resource.

    A client with selectors gets ADDED for an object that begins to match them, and DELETED for one that no longer
    matches.
    """

    def __init__(
        self, collection: Collection, namespace: str, options: WatchOptions, asker: MakeAsker | None = None
    ) -> None:
        self._collection = collection
        self._faults = collection.backend.faults
        self._asker = asker
        self._watch_faults: WatchFaults | None = None
        self._options = options
        self._prefix = collection.prefix(namespace)
        self._matches = matcher(options.selection, collection.resource.fields.read)
        self._revision = requested_revision(options.resource_version)
        self._watcher: Watcher[StoredObject] | None = None
        self._is_unconverted = not isinstance(collection.backend.storage, ConvertedStorage)
        self._initial: Iterator[Sequence[WatchEvent]] = _NOTHING
        self._ended = False
        self.is_waiting = False
        """True if all available events have been sent. Whoever sends the events sets it."""
        self.sent = 0
        """Number of events sent. Whoever sends the events counts them."""

    async def start(self) -> None:
        """Start the watch, at its revision or with an ADDED event for each existing object (initial events).

        Raises ApiError 504 if initial events are requested for a future revision.
        """
        storage, options = self._collection.backend.storage, self._options
        # A restore of a snapshot ends watches with bookmarks by a 410: their clients, such as informers, then list the
        # objects again. Watches without bookmarks, such as those of `kubectl get --watch`, continue instead, with the
        # changes that the restore makes.
        survives_restore = not options.bookmarks
        match = match_of(options.selection, self._collection.resource)
        initial = options.send_initial_events
        if initial is None:
            initial = self._revision == 0
        if not initial:
            after = self._revision or await storage.current_revision()
            self._watcher = storage.watch(self._prefix, after=after, survives_restore=survives_restore, matching=match)
            return
        try:
            page = await storage.list(
                self._prefix,
                at_least=self._revision if options.resource_version else None,
                matching=matches_of(options.selection, self._collection.resource),
            )
        except RevisionInFuture as error:
            raise too_large_version(error, cached=True) from None
        self._watcher = storage.watch(
            self._prefix, after=page.revision, survives_restore=survives_restore, matching=match
        )
        self._initial = self._initial_batches(page)
        self._turns = Turns()

    async def next(self, timeout: float | None = None) -> Sequence[WatchEvent]:
        """Return the events since the previous call. Wait up to `timeout` seconds of real time if there are none.

        Initial events are returned in batches. Returns an empty sequence on timeout or interruption.

        Raises ApiError 410 if required history has been compacted, and WatchEnded if the server stops or the resource
        is no longer served. Faults raise ApiError 410, WatchClosed or ConnectionDropped.
        """
        if self._faults.present or self._watch_faults is not None:
            return await self._next_with_faults(timeout)
        return await self._next(timeout)

    async def _next(self, timeout: float | None) -> Sequence[WatchEvent]:
        assert self._watcher is not None
        if self._ended:
            raise WatchEnded
        if self._initial is not _NOTHING:
            for batch in self._initial:
                await self._turns.give()
                if batch:
                    return batch
            self._initial = _NOTHING
        try:
            events = await self._watcher.next(timeout)
        except RevisionCompacted as error:
            raise self._too_old(error) from None
        except StorageClosed:
            raise WatchEnded from None
        if self._ended:
            raise WatchEnded
        return self._shown(events)

    def _shown(self, events: Sequence[Event[StoredObject]]) -> Sequence[WatchEvent]:
        """Convert storage events to watch events. Omit events of objects that the watch does not select."""
        if self._matches is None:
            read, shown = self._collection.shown_to_all
            # All watches without selectors are passed the same list `events`: convert it only for the first of them.
            if read is not events:
                shown = [WatchEvent(_TYPES[event.type], event.value) for event in events]
                if len(events) == 1:
                    self._collection.shown_to_all = (events, shown)
            return shown
        seen = (self._seen(event, self._matches) for event in events)
        return [event for event in seen if event is not None]

    @property
    def is_plain(self) -> bool:
        """True if events can be read with :meth:`ready` instead of :meth:`next`.

        False while objects must be converted, faults apply to the watch, or initial events remain to be read.
        """
        no_faults = not self._faults.present and self._watch_faults is None
        return no_faults and self._is_unconverted and self._initial is _NOTHING

    def ready(self) -> Sequence[WatchEvent] | None:
        """Return the events that :meth:`next` would return without waiting.

        Returns an empty sequence if :meth:`next` would wait, and None if :meth:`next` must be called instead. Raises
        the same exceptions as :meth:`next`.
        """
        if not self.is_plain:
            return None
        assert self._watcher is not None
        if self._ended:
            raise WatchEnded
        try:
            return self._shown(self._watcher.read())
        except RevisionCompacted as error:
            raise self._too_old(error) from None
        except StorageClosed:
            raise WatchEnded from None

    @property
    def answers_request(self) -> bool:
        """True if an HTTP request started the watch, and not code in this process."""
        return self._asker is not None

    @property
    def revision(self) -> int:
        """Revision up to which all events have been returned; 0 before the start of the watch."""
        return self.returned_revision if self._watcher is not None else 0

    @property
    def returned_revision(self) -> int:
        """Revision from which another watch gets all events that this watch has not returned yet.

        Events that a fault delays have not been returned.
        """
        assert self._watcher is not None
        delayed = None if self._watch_faults is None else self._watch_faults.revision_before_delayed
        return self._watcher.revision if delayed is None else delayed

    def asked(self) -> "RequestAttributes | None":
        """Return the attributes of the request that started the watch.

        None if faults cannot match the watch.
        """
        return None if self._asker is None or self._watcher is None else self._asker().asked()

    def close_by(self, effect: "CloseWatch") -> bool:
        """Close the watch at the next read, as the `effect` of a fault says.

        Return False if the watch has ended or another fault closes it already.
        """
        if self._watch_faults is None:
            self._watch_faults = self._new_watch_faults()
        closes = self._watch_faults is not None and not self._ended and self._watch_faults.close(effect)
        self.interrupt()
        return closes

    def call_when_ready(self, callback: Callable[[], None]) -> None:
        """Call `callback` once, as soon as :meth:`next` may return events, so that no task has to wait in `next`.

        `callback` is not called if the server stops. This method must not be called while there are more initial
        events.
        """
        assert self._watcher is not None
        self._watcher.call_when_ready(callback)

    def interrupt(self) -> None:
        """Make :meth:`next` return without events, as at its timeout, if it is waiting."""
        if self._watcher is not None:
            self._watcher.interrupt()
        if self._watch_faults is not None:
            self._watch_faults.interrupt()

    def end(self) -> None:
        """End the watch: from now on, :meth:`next` raises WatchEnded."""
        self._ended = True
        self.interrupt()

    def bookmarks(self) -> Sequence[WatchEvent]:
        """Return a bookmark of the current revision.

        The result is empty if a fault withholds bookmarks or the kind has no watch cache in kube-apiserver.
        """
        assert self._watcher is not None
        if not self._collection.resource.lists.watch_cached:
            return ()
        bookmark = self._bookmark(self._watcher.revision, {})
        return () if self._watch_faults is not None and self._watch_faults.withholds(bookmark) else (bookmark,)

    async def _next_with_faults(self, timeout: float | None) -> Sequence[WatchEvent]:
        if self._watch_faults is None:
            self._watch_faults = self._new_watch_faults()
        if self._watch_faults is None:
            return await self._next(timeout)
        return await self._watch_faults.next(self._next, timeout)

    def _new_watch_faults(self) -> WatchFaults | None:
        if self._asker is None:
            return None
        return WatchFaults(self._faults, self._asker(), self._collection.clock)

    def _initial_batches(self, page: Page[StoredObject]) -> Iterator[Sequence[WatchEvent]]:
        """Yield ADDED events for the existing objects `page`, in batches small enough to be filtered and sent at once.

        A batch may be empty. If the client wants the bookmark that ends initial events, the last batch ends with it.
        """
        batch: list[WatchEvent] = []
        size = 0
        for index, stored in enumerate(page.values):
            if self._matches is None or self._matches(stored):
                batch.append(WatchEvent("ADDED", stored))
                size += len(stored.item_tail)
            if size > _BATCH_BYTES or index % _MATCHED_AT_ONCE == 0:
                yield batch
                batch, size = [], 0
        if self._options.send_initial_events and self._options.bookmarks:
            batch.append(self._bookmark(page.revision, {INITIAL_EVENTS_END: "true"}))
        yield batch

    def _bookmark(self, revision: int, annotations: dict[str, str]) -> WatchEvent:
        resource = self._collection.resource
        annotations = {**resource.lists.bookmark_annotations, **annotations}
        metadata = ObjectMeta(resourceVersion=str(revision), annotations=annotations)
        marker = resource.model(kind=resource.kind, apiVersion=resource.api_version, metadata=metadata).to_document()
        if resource.lists.bookmark_spec:
            marker["spec"] = {**marker["spec"], **resource.lists.bookmark_spec}
        return WatchEvent("BOOKMARK", StoredObject(marker))

    def _too_old(self, error: RevisionCompacted) -> ApiError:
        cached = self._collection.resource.lists.watch_cached
        return expired(f"too old resource version: {error.revision} ({error.oldest})" if cached else WATCH_EXPIRED)

    @staticmethod
    def _seen(event: Event[StoredObject], matches: Matches) -> WatchEvent | None:
        before = event.previous is not None and matches(event.previous)
        after = event.type != "deleted" and matches(event.value)
        if after:
            return WatchEvent("MODIFIED" if before else "ADDED", event.value)
        if not before:
            return None
        if event.type == "deleted" or event.previous is None:
            return WatchEvent("DELETED", event.value)
        return WatchEvent("DELETED", event.previous.with_revision(event.revision))
