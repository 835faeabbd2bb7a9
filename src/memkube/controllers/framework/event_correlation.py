"""Decides whether a reported event creates an Event object, increments an Event's count, or is dropped.

Source: ``EventCorrelator`` of client-go (``tools/record/events_cache.go``). It has three steps: aggregate similar
events, count equal events, and limit the rate of Events per object.
"""

from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, Generic, Literal, NamedTuple, TypeVar

from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.controllers.framework.saved_values import instant

_REMEMBERED: Final = 4096
_CROWD: Final = 64
"""Number of remembered Events that makes the recorder forget Events about deleted objects."""
_BURST: Final = 25.0
_SECONDS_PER_EVENT: Final = 300.0
_SIMILAR: Final = 10
_SIMILAR_PERIOD: Final = timedelta(minutes=10)
_COMBINED: Final = "(combined from similar events): "
V = TypeVar("V")


class ObjectIdentity(NamedTuple):
    """Kind, namespace, name, uid and apiVersion of the object that an event is about."""

    kind: str
    namespace: str
    name: str
    uid: str
    api_version: str


_IDENTITY: Final = len(ObjectIdentity._fields)


class _Key(NamedTuple):
    """Key of events that are counted together: their object (`about`), and values such as type and reason (`what`)."""

    about: ObjectIdentity
    what: tuple[str, ...]

    @classmethod
    def restored(cls, saved: Sequence[str]) -> "_Key":
        return cls(ObjectIdentity(*saved[:_IDENTITY]), tuple(saved[_IDENTITY:]))

    @property
    def saved(self) -> tuple[str, ...]:
        return *self.about, *self.what


class Report(NamedTuple):
    """Type, reason and message of an Event to record."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str
    field_path: str = ""
    """Path of the object's field that the Event is about, such as ``spec.containers{web}``."""
    action: str = ""
    """Action that the component took or failed to take. Only Events of events.k8s.io have one."""


@dataclass(slots=True)
class Observation:
    """An Event object that was written, and the number of events that it stands for."""

    name: str
    first: Time
    count: int = 0


class Correlated(NamedTuple):
    """The Event object to write: a new Event, or an existing Event with an increased count."""

    message: str
    is_combined: bool
    observation: Observation


@dataclass(slots=True)
class _Similar:
    seen: datetime
    messages: tuple[str, ...] = ()
    """The last messages of similar events, without duplicates."""


@dataclass(slots=True)
class _Allowance:
    """Number of Events about an object that may still be written, as a token bucket that refills with time."""

    left: float
    counted: datetime
    about: ObjectIdentity
    """Identity of the object. All keys of the object share this tuple to save memory."""

    def at(self, now: datetime) -> float:
        """Return the number of Events about the object that may still be written at `now`; less than 1 allows none."""
        return min(self.left + (now - self.counted).total_seconds() / _SECONDS_PER_EVENT, _BURST)


class Correlator:
    """Decides for each event that one component reports: create an Event, increment a count, or drop the event.

    It remembers recent events as long as they affect later ones, and forgets expired ones itself. For Events about
    deleted objects, the caller must call `forget`.
    """

    def __init__(self) -> None:
        self._similar: _Recent[_Similar] = _Recent()
        self._observations: _Recent[Observation] = _Recent()
        self._allowances: _Recent[_Allowance] = _Recent()
        self._crowd = _CROWD
        self._left: Document | None = None
        """Saved state from a snapshot, which is decoded when the first Event is reported; None afterwards."""

    def correlate(self, about: ObjectIdentity, report: Report, name: str, now: datetime) -> Correlated | None:
        """Return the Event object to write, or None if the rate limit drops the event.

        `about` is the object that the event is about, and `report` has its type, reason and message. If a new Event is
        necessary, its name is `name`.
        """
        if self._left is not None:
            self._recall(self._left)
        self._forget_expired(now)
        known = self._allowances.get(_Key(about, (report.type,)))
        identity = about if known is None else known.about
        key = _Key(identity, (report.type, report.reason))
        is_combined = self._is_aggregated(key, report.message, now)
        message = _COMBINED + report.message if is_combined else report.message
        if not is_combined:
            key = _Key(identity, (*key.what, report.message, report.field_path))
        observation = self._observations.get(key)
        if observation is None:
            observation = self._observations.put(key, Observation(name, Time.at(now)))
        observation.count += 1
        if not self._is_allowed(_Key(identity, (report.type,)), now):
            return None
        return Correlated(message, is_combined, observation)

    @property
    def is_crowded(self) -> bool:
        """True if so many Events are remembered that the caller should remove those about deleted objects."""
        return len(self._observations) >= self._crowd

    def objects_of_least_recent_events(self) -> set[ObjectIdentity]:
        """Return the objects of half of the remembered Events: of those that occurred least recently."""
        return {key.about for key in islice(self._observations, len(self._observations) // 2)}

    def forget(self, gone: Container[ObjectIdentity]) -> None:
        """Remove the remembered Events about the objects in `gone`, which were deleted."""
        self._observations.drop([key for key in self._observations if key.about in gone])
        self._crowd = max(2 * len(self._observations), _CROWD)

    def saved(self) -> Document:
        """Return the recently reported Events, which affect how later ones are counted, as JSON data for a snapshot."""
        if self._left is not None:
            return self._left
        return {
            "similar": [(key.saved, s.seen, s.messages) for key, s in self._similar.items()],
            "observations": [(key.saved, o.name, str(o.first), o.count) for key, o in self._observations.items()],
            "allowances": [(key.saved, a.left, a.counted) for key, a in self._allowances.items()],
        }

    def restore(self, saved: Document) -> None:
        """Restore the state in `saved`, from a snapshot. Raises KeyError if a field is missing.

        The contents of the fields are decoded only when the next event is reported.
        """
        self._left = {name: saved[name] for name in ("similar", "observations", "allowances")}

    def _recall(self, saved: Document) -> None:
        self._left = None
        for key, seen, messages in saved["similar"]:
            self._similar.put(_Key.restored(key), _Similar(instant(seen), tuple(messages)))
        for key, name, first, count in saved["observations"]:
            self._observations.put(_Key.restored(key), Observation(name, Time(first), count))
        for key, left, counted in saved["allowances"]:
            restored = _Key.restored(key)
            self._allowances.put(restored, _Allowance(left, instant(counted), restored.about))

    def _forget_expired(self, now: datetime) -> None:
        self._similar.drop_first(lambda similar: now - similar.seen > _SIMILAR_PERIOD)
        self._allowances.drop_first(lambda allowance: allowance.at(now) >= _BURST)

    def _is_aggregated(self, key: _Key, message: str, now: datetime) -> bool:
        similar = self._similar.get(key)
        if similar is None or now - similar.seen > _SIMILAR_PERIOD:
            similar = self._similar.put(key, _Similar(now))
        similar.seen = now
        if message not in similar.messages:
            similar.messages = (*similar.messages, message)
        if len(similar.messages) < _SIMILAR:
            return False
        similar.messages = similar.messages[1:]
        return True

    def _is_allowed(self, key: _Key, now: datetime) -> bool:
        allowance = self._allowances.get(key)
        if allowance is None:
            allowance = self._allowances.put(key, _Allowance(_BURST, now, key.about))
        allowance.left, allowance.counted = allowance.at(now), now
        if allowance.left < 1:
            return False
        allowance.left -= 1
        return True


class Correlators:
    """The event correlators of all components, by component and host. Snapshots contain their state."""

    def __init__(self, saved: Sequence[Document]) -> None:
        self._numbers = 0
        self._known: dict[tuple[str, str], Correlator] = {}
        for state in saved:
            if "numbers" in state:
                self._numbers = state["numbers"]
            else:
                self.of(state["component"], state["host"]).restore(state)

    def of(self, component: str, host: str) -> "Correlator":
        """Return the correlator for the events of a component on a host. The first call creates the correlator."""
        return self._known.setdefault((component, host), Correlator())

    def next_number(self) -> int:
        """Return the next number for the name of an Event: Events created at the same time need different names."""
        self._numbers += 1
        return self._numbers - 1

    def saved(self) -> list[Document]:
        """Return the state of all correlators for a snapshot. Components that have reported no events are left out."""
        known = [
            {"component": component, "host": host, **memory}
            for (component, host), correlator in self._known.items()
            if any((memory := correlator.saved()).values())
        ]
        return [{"numbers": self._numbers}, *known]


class _Recent(Generic[V]):
    """A mapping of limited size. When it is full, the least recently used entry is removed."""

    def __init__(self) -> None:
        self._values: OrderedDict[_Key, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._values)

    def items(self) -> Iterable[tuple[_Key, V]]:
        return self._values.items()

    def get(self, key: _Key) -> V | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: _Key, value: V) -> V:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > _REMEMBERED:
            self._values.popitem(last=False)
        return value

    def drop(self, keys: Iterable[_Key]) -> None:
        for key in keys:
            del self._values[key]

    def drop_first(self, is_over: Callable[[V], bool]) -> None:
        """Remove entries, beginning with the least recently used, until `is_over` returns False for the next value."""
        values = self._values
        while values and is_over(next(iter(values.values()))):
            values.popitem(last=False)
