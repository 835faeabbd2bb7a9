"""What a controller has done and not seen yet: until it has, it must not count (``ControllerExpectations``)."""

from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from memkube.registry.clock import Clock

K = TypeVar("K")

_TIMEOUT: Final = timedelta(minutes=5)
"""After this long what was expected has been missed, and counting goes on."""


class Expectations(Generic[K]):
    """The objects that each key's owner created or deleted, by uid, until the informer tells of it.

    Unlike the reference's, which count creations, these know every object, because writes answer at once here.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expected: dict[K, tuple[datetime, set[tuple[str, str]]]] = {}

    def created(self, key: K, uid: str) -> None:
        """An object will show up."""
        self._expect(key, ("created", uid))

    def deleting(self, key: K, uid: str) -> None:
        """An object will be seen terminating, or go."""
        self._expect(key, ("deleting", uid))

    def saw(self, key: K, uid: str, *, gone: bool) -> None:
        """The informer told of an object; `gone` says that it is, or terminates."""
        expected = self._expected.get(key)
        if expected is None:
            return
        expected[1].discard(("created", uid))
        if gone:
            expected[1].discard(("deleting", uid))
        if not expected[1]:
            del self._expected[key]

    def seconds_left(self, key: K) -> float:
        """How long to wait at most until the key's owner may count; zero or less where it may do so now."""
        expected = self._expected.get(key)
        if expected is None:
            return 0
        return (expected[0] + _TIMEOUT - self._clock.now()).total_seconds()

    def forget(self, key: K) -> None:
        """Nothing is expected for a key any more."""
        self._expected.pop(key, None)

    def _expect(self, key: K, expected: tuple[str, str]) -> None:
        now = self._clock.now()
        _, others = self._expected.get(key, (now, set()))
        self._expected[key] = now, others | {expected}
