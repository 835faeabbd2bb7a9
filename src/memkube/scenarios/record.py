"""The event log of a scenario: every change of every object, in order."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import BinaryIO, Final

from memkube.apimachinery.time import MicroTime
from memkube.registry.reads.object_events import ObjectEvent
from memkube.registry.registry import Registry

_EVENTS: Final = ("/core/events/", "/events.k8s.io/events/")


class Record:
    """Writes the changes of all objects to the event log while the clock advances.

    Each change is one line of JSON, with the time of the server's clock. Two runs with equal logs have equal digests.

    The clock uses this object as its stop condition, and calls :meth:`is_met` after each move to the next timer. The
    methods run in the server's thread.
    """

    def __init__(
        self,
        registry: Registry,
        file: BinaryIO | None,
        on_time: Callable[[datetime], None],
        is_stopping: Callable[[], bool],
    ) -> None:
        self._new_events = registry.new_events()
        self._clock = registry.clock
        self._file = file
        self._on_time = on_time
        self._is_stopping = is_stopping
        self._digest = sha256()
        self.changes = 0
        """Number of changes."""
        self.reasons: Counter[str] = Counter()
        """Number of Events by their reasons."""

    async def is_met(self) -> bool:
        """Add the changes of objects since the last call to the event log, and say if the clock must stop.

        This is the method of a stop condition, which the clock calls. It returns True if the user has stopped the
        scenario.
        """
        now = self._clock.now()
        time = MicroTime.at(now).encode()
        async for event in self._new_events.read():
            line = b'{"time":"%b","type":"%b","object":%b}\n' % (time, event.type.encode(), event.value.data.strip())
            self._digest.update(line)
            self.changes += 1
            if self._file is not None:
                self._file.write(line)
            if event.key.startswith(_EVENTS):
                self._count(event)
        self._on_time(now)
        return self._is_stopping()

    @property
    def digest(self) -> str:
        """SHA-256 of all lines of the event log so far."""
        return self._digest.hexdigest()

    def _count(self, event: ObjectEvent) -> None:
        if event.type == "deleted":
            return
        document = event.value.document
        before = 0 if event.previous is None else _times(event.previous.document)
        self.reasons[str(document.get("reason"))] += max(_times(document) - before, 0)


def _times(event: dict[str, object]) -> int:
    """Return the count of an Event: how often the reported thing has happened."""
    series = event.get("series")
    count = series.get("count") if isinstance(series, dict) else event.get("count")
    return count if isinstance(count, int) else 1
