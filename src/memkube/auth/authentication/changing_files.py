"""Files that another program may replace while the server runs, such as certificates that are renewed."""

from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

_PAUSE: Final = 1.0
"""Minimum number of seconds between two checks of the files."""


class _State(NamedTuple):
    changed: int
    size: int
    number: int


class ChangingFiles:
    """Checks if files have changed, at most once a second, and only when :meth:`have_changed` is called."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._seen = self._look()
        self._next_look = monotonic() + _PAUSE

    def have_changed(self) -> bool:
        """True if a file has changed since this method last returned True.

        Returns False without a check if the last check was less than a second ago.
        """
        now = monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + _PAUSE
        found = self._look()
        if found == self._seen:
            return False
        self._seen = found
        return True

    def _look(self) -> list[_State | None]:
        return [_state(path) for path in self._paths]


def _state(path: Path) -> _State | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return _State(found.st_mtime_ns, found.st_size, found.st_ino)
