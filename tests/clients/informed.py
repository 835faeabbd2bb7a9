"""What the official client's informer has told of, for tests that wait for it."""

import threading
from typing import Any

from kubernetes import informer

_SECONDS = 20


class Informed:
    """Remembers events and errors in the order in which handlers were called."""

    def __init__(self, shared: Any) -> None:
        self.told: list[tuple[str, str]] = []
        self.errors: list[Any] = []
        self._changed = threading.Condition()
        for kind in (informer.ADDED, informer.MODIFIED, informer.DELETED):
            shared.add_event_handler(kind, lambda found, kind=kind: self._tell(kind, found.metadata.name))
        shared.add_event_handler(informer.ERROR, self.errors.append)

    def await_told(self, kind: str, name: str) -> None:
        """Returns once there was such an event."""
        with self._changed:
            told = self._changed.wait_for(lambda: (kind, name) in self.told, _SECONDS)
        assert told, f"{kind} {name} is not in {self.told}, {self.errors}"

    def _tell(self, kind: str, name: str) -> None:
        with self._changed:
            self.told.append((kind, name))
            self._changed.notify_all()
