"""Which prefixes are known to have nothing under them, so that nobody looks again until something is there."""

from typing import Final, Generic

from memkube.storage.interface import Emptiness, Page, SharedValues, V
from memkube.storage.sorted_keys import folders_of

_MOST: Final = 256


class EmptyPrefixes(Generic[V]):
    """Prefixes that end with a slash; so many of them at most."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[SharedValues[V], list[str]]] = {}
        self._told: dict[str, Emptiness] = {}

    def values(self, prefix: str) -> SharedValues[V] | None:
        """The empty list of values of a prefix that is known to be empty, the same one each time."""
        known = self._known.get(prefix)
        return None if known is None else known[0]

    def page(self, prefix: str, revision: int) -> Page[V]:
        """The same as a page, for a prefix that has been found to be empty, and is known for that from now on."""
        known = self._known.get(prefix)
        if known is None:
            known = SharedValues(), []
            if prefix.endswith("/") and len(self._known) < _MOST:
                self._known[prefix] = known
                self._tell(prefix, known=True)
        return Page(known[0], revision, known[1], 0)

    def emptiness(self, prefix: str) -> Emptiness:
        """See Storage."""
        return self._told.setdefault(prefix, Emptiness(prefix in self._known))

    def fill(self, key: str) -> None:
        """Nothing that this key is under is empty any more."""
        known = self._known
        for folder in folders_of(key):
            if folder in known:
                del known[folder]
                self._tell(folder, known=False)

    def forget(self) -> None:
        """Nothing is known any more."""
        for prefix in self._known:
            self._tell(prefix, known=False)
        self._known.clear()

    def _tell(self, prefix: str, *, known: bool) -> None:
        if prefix in self._told:
            self._told[prefix].known = known
