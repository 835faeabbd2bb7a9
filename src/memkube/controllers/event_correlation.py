"""Which reports become events of their own, which are counted, and which are dropped.

Source: ``EventCorrelator`` of client-go (``tools/record/events_cache.go``). There are three steps: reports that are
like many others are taken together, those that are the same as one before are counted, and an object about which
too much is reported already gets no event.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.kept import instant
from memkube.records import dataclass

_REMEMBERED: Final = 4096
_BURST: Final = 25.0
_SECONDS_PER_EVENT: Final = 300.0
_SIMILAR: Final = 10
_SIMILAR_PERIOD: Final = timedelta(minutes=10)
_COMBINED: Final = "(combined from similar events): "
_Key: TypeAlias = tuple[str, ...]
V = TypeVar("V")


class Report(NamedTuple):
    """What there is to say."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str
    field_path: str = ""
    """The part of the object that it is about, such as ``spec.containers{web}``."""


@dataclass(slots=True)
class Observation:
    """An event, as far as it is remembered."""

    name: str
    first: Time
    count: int = 0


class Correlated(NamedTuple):
    """What is to be written of a report."""

    message: str
    is_combined: bool
    observation: Observation


@dataclass(slots=True)
class _Similar:
    seen: datetime
    messages: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class _Allowance:
    """How many events about an object may still be written; it grows with time."""

    left: float
    counted: datetime


class Correlator:
    """What one component has reported. It remembers the objects and events that were reported on last."""

    def __init__(self) -> None:
        self._similar: _Recent[_Similar] = _Recent()
        self._observations: _Recent[Observation] = _Recent()
        self._allowances: _Recent[_Allowance] = _Recent()
        self._left: Document | None = None
        """What was saved and nobody has asked for yet."""

    def correlate(self, about: ObjectReference, report: Report, name: str, now: datetime) -> Correlated | None:
        """What to write of a report; None where it is dropped, though it counts. `name` is for a new event."""
        if self._left is not None:
            self._recall(self._left)
        identity = (about.kind, about.namespace, about.name, about.uid, about.apiVersion)
        key: _Key = (*identity, report.type, report.reason)
        is_combined = self._has_many_like_it(key, report.message, now)
        message = _COMBINED + report.message if is_combined else report.message
        if not is_combined:
            key = (*key, report.message, report.field_path)
        observation = self._observations.get(key)
        if observation is None:
            observation = self._observations.put(key, Observation(name, Time.at(now)))
        observation.count += 1
        if not self._is_allowed((*identity, report.type), now):
            return None
        return Correlated(message, is_combined, observation)

    def saved(self) -> Document:
        """What is to be kept of it."""
        if self._left is not None:
            return self._left
        return {
            "similar": [(key, s.seen, tuple(s.messages)) for key, s in self._similar.items()],
            "observations": [(key, o.name, str(o.first), o.count) for key, o in self._observations.items()],
            "allowances": [(key, a.left, a.counted) for key, a in self._allowances.items()],
        }

    def restore(self, saved: Document) -> None:
        """Takes over what was saved, when it is first asked for. Raises KeyError."""
        self._left = {name: saved[name] for name in ("similar", "observations", "allowances")}

    def _recall(self, saved: Document) -> None:
        self._left = None
        for key, seen, messages in saved["similar"]:
            self._similar.put(tuple(key), _Similar(instant(seen), dict.fromkeys(messages)))
        for key, name, first, count in saved["observations"]:
            self._observations.put(tuple(key), Observation(name, Time(first), count))
        for key, left, counted in saved["allowances"]:
            self._allowances.put(tuple(key), _Allowance(left, instant(counted)))

    def _has_many_like_it(self, key: _Key, message: str, now: datetime) -> bool:
        similar = self._similar.get(key)
        if similar is None or now - similar.seen > _SIMILAR_PERIOD:
            similar = self._similar.put(key, _Similar(now))
        similar.seen = now
        similar.messages[message] = None
        if len(similar.messages) < _SIMILAR:
            return False
        del similar.messages[next(iter(similar.messages))]
        return True

    def _is_allowed(self, key: _Key, now: datetime) -> bool:
        allowance = self._allowances.get(key)
        if allowance is None:
            allowance = self._allowances.put(key, _Allowance(_BURST, now))
        grown = (now - allowance.counted).total_seconds() / _SECONDS_PER_EVENT
        allowance.left, allowance.counted = min(allowance.left + grown, _BURST), now
        if allowance.left < 1:
            return False
        allowance.left -= 1
        return True


class Correlators:
    """Those of all components, whose memory a snapshot keeps."""

    def __init__(self, saved: Sequence[Document]) -> None:
        self._numbers = 0
        self._known: dict[tuple[str, str], Correlator] = {}
        for one in saved:
            if "numbers" in one:
                self._numbers = one["numbers"]
            else:
                self.of(one["component"], one["host"]).restore(one)

    def of(self, component: str, host: str) -> "Correlator":
        """The one of a component."""
        return self._known.setdefault((component, host), Correlator())

    def next_number(self) -> int:
        """Keeps the names of events apart that are reported in one instant."""
        self._numbers += 1
        return self._numbers - 1

    def saved(self) -> list[Document]:
        """What is to be kept of them; components that have reported nothing have nothing to remember."""
        known = [
            {"component": component, "host": host, **memory}
            for (component, host), correlator in self._known.items()
            if any((memory := correlator.saved()).values())
        ]
        return [{"numbers": self._numbers}, *known]


class _Recent(Generic[V]):
    """Forgets what has not been asked for, for longest, once there is too much."""

    def __init__(self) -> None:
        self._values: OrderedDict[_Key, V] = OrderedDict()

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
