"""Answers GET and LIST from an older revision while a fault for stale reads is injected, like a lagging watch cache."""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from memkube.faults.active import ActiveFault, Asker, Faults
from memkube.faults.attributes import Stage
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Backend, Objects
from memkube.registry.reads.revisions import is_revision
from memkube.storage.errors import KeyNotFound, RevisionCompacted, StorageError
from memkube.storage.forwarding import ForwardingStorage
from memkube.storage.interface import MatchValue, Page
from memkube.time.clock import Clock

if TYPE_CHECKING:
    from memkube.faults import effects

_MOST_MARKS: Final = 20_000


class StaleReads:
    """Chooses the older revision from which a read is answered.

    While faults for stale reads exist, it records at which time each revision was made.
    """

    def __init__(self, storage: Objects, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._began: WeakKeyDictionary[ActiveFault, int] = WeakKeyDictionary()
        """By fault, the revision that was the newest when the fault was added."""
        self._marks: deque[tuple[datetime, int]] = deque(maxlen=_MOST_MARKS)
        self._task: asyncio.Task[None] | None = None

    def follow(self, faults: Faults) -> None:
        """Apply the injected faults for stale reads to later reads. Call this whenever faults were added or removed.

        While such faults exist, this object records the time of each revision.
        """
        stale = list(faults.about(Stage.READ))
        for fault in stale:
            self._began.setdefault(fault, self._storage.seen)
        if stale and self._task is None:
            self._marks.append((self._clock.now(), self._storage.seen))
            self._task = asyncio.get_running_loop().create_task(self._watch())
        elif not stale and self._task is not None:
            self._task.cancel()
            self._task = None
            self._marks.clear()

    def stale_revision(self, faults: Faults, asker: Asker, options: ListOptions) -> int:
        """Return the revision from which to answer a read; 0 for the newest revision.

        `faults` are all faults of the server, and `asker` is the request. For a GET, `options` contain only the
        resourceVersion of the request.
        """
        version, match = options.resource_version, options.resource_version_match
        # In a list with a limit, a resourceVersion without resourceVersionMatch means exactly that revision, so
        # such a list is not answered from another one.
        shows_one = match == "Exact" or (options.limit and is_revision(version) and not match)
        if options.continue_token or shows_one or not (version in ("", "0") or is_revision(version)):
            return 0
        asked, least, newest = asker.asked(), int(version or 0), self._storage.seen
        shown = newest
        for fault in faults.about(Stage.READ):
            effect = fault.rule.effect
            assert effect.type == "staleReads"
            if effect.only_any and not version:
                continue
            matched, before = fault.matched, shown
            if fault.falls_on(asked, self._clock.now()):
                asker.was_hit(fault.name)
                before = max(self._revision(fault, effect, asked.client), least)
                shown = min(shown, before)
            if fault.matched > matched:
                fault.remember(asked.client, before)
        return 0 if shown >= newest else max(shown, 1)

    def _revision(self, fault: ActiveFault, effect: "effects.StaleReads", client: tuple[str, str]) -> int:
        began = self._began[fault]
        if effect.revision is not None:
            revision = effect.revision
        elif effect.revisions is not None:
            revision = self._storage.seen - effect.revisions
        elif effect.age_seconds is not None:
            revision = self._newest_at(self._clock.now() - timedelta(seconds=effect.age_seconds), began)
        else:
            revision = began
        return revision if effect.may_go_back else max(revision, began, fault.shown.get(client, 0))

    def _newest_at(self, instant: datetime, earliest: int) -> int:
        return next((revision for at, revision in reversed(self._marks) if at <= instant), earliest)

    async def _watch(self) -> None:
        watcher = self._storage.watch("/", after=self._storage.seen)
        with suppress(StorageError):
            while True:
                await watcher.next()
                self._marks.append((self._clock.now(), watcher.revision))


def storage_at(backend: Backend, revision: int) -> Backend:
    """Return a copy of the backend that answers reads from `revision`, unless a read asks for an exact revision."""
    return replace(backend, storage=_StorageAt(backend.storage, revision))


class _StorageAt(ForwardingStorage[StoredObject]):
    """A storage that answers reads from one revision. It must not be used for writes."""

    def __init__(self, storage: Objects, revision: int) -> None:
        super().__init__(storage)
        self._shown = revision

    async def get(self, key: str, *, at_least: int | None = None) -> StoredObject:
        page = await self.list(key, limit=1, at_least=at_least)
        if not page.keys or page.keys[0] != key:
            raise KeyNotFound(key, self._shown)
        return page.values[0]

    async def list(
        self,
        prefix: str,
        *,
        limit: int = 0,
        start: str = "",
        revision: int = 0,
        at_least: int | None = None,
        matching: Sequence[MatchValue[StoredObject]] = (),
    ) -> Page[StoredObject]:
        listed = partial(self._storage.list, prefix, limit=limit, start=start, matching=matching)
        if revision:
            return await listed(revision=revision)
        try:
            return await listed(revision=self._shown)
        except RevisionCompacted as error:
            # A watch cache that lags behind would still have this revision, although etcd has compacted it. This server
            # does not, so it answers from the oldest revision that it still has.
            return await listed(revision=error.oldest - 1)
