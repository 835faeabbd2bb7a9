"""Cache of key prefixes under which no values exist."""

from typing import Final, Generic

from memkube.storage.interface import Emptiness, Page, SharedValues, V
from memkube.storage.sorted_keys import folders_of

_MOST: Final = 256


class EmptyPrefixes(Generic[V]):
    """Bounded set of key prefixes, which end with a slash, under which no values exist."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[SharedValues[V], list[str]]] = {}
        self._handed_out: dict[str, Emptiness] = {}

    def values(self, prefix: str) -> SharedValues[V] | None:
        """Return an empty list, always the same object, if the prefix is known to be empty, otherwise None."""
        known = self._known.get(prefix)
        return None if known is None else known[0]

    def page(self, prefix: str, revision: int) -> Page[V]:
        """Record that a prefix is empty, and return an empty page."""
        known = self._known.get(prefix)
        if known is None:
            known = SharedValues(), []
            if prefix.endswith("/") and len(self._known) < _MOST:
                self._known[prefix] = known
                self._update(prefix, known=True)
        return Page(known[0], revision, known[1], 0)

    def emptiness(self, prefix: str) -> Emptiness:
        return self._handed_out.setdefault(prefix, Emptiness(prefix in self._known))

    def fill(self, key: str) -> None:
        """Record that a new key exists, so that its prefixes are not empty any more."""
        known = self._known
        for folder in folders_of(key):
            if folder in known:
                del known[folder]
                self._update(folder, known=False)

    def forget(self) -> None:
        """Clear the cache."""
        for prefix in self._known:
            self._update(prefix, known=False)
        self._known.clear()

    def _update(self, prefix: str, *, known: bool) -> None:
        if prefix in self._handed_out:
            self._handed_out[prefix].known = known
