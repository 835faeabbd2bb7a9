"""What is counted while the server works, in plain numbers: they become metrics when somebody asks for them.

Names, labels and bounds of buckets are those of the reference (apiserver ``endpoints/metrics``, ``admission/metrics``).
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence, Sized
from itertools import accumulate, repeat
from operator import mul
from typing import Final, Generic, NamedTuple, TypeVar

MOST_PENDING: Final = 50
"""So many answers of one sort are counted at once."""
K = TypeVar("K", bound=Hashable)

REQUEST_SECONDS: Final = (
    *(0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60),
)
_SLI_FROM: Final = 2
SLI_SECONDS: Final = REQUEST_SECONDS[_SLI_FROM:]
"""What the server itself took: its bounds are some of those of the whole time."""
ADMISSION_SECONDS: Final = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5)
WEBHOOK_SECONDS: Final = (*ADMISSION_SECONDS, 10, 25)
QUEUE_SECONDS: Final = tuple(accumulate(repeat(10.0, 9), mul, initial=10e-9))
RESPONSE_BYTES: Final = tuple(1000 * 10**power for power in range(7))
EVENT_BYTES: Final = tuple(1024 * 2**power for power in range(8))


class Histogram:
    """How many values were up to each of some bounds, and what all of them make together."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Counts one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def observe_all(self, values: Sequence[float]) -> None:
        """Counts many, in less time for each."""
        ordered, below = sorted(values), 0
        for index, bound in enumerate(self.bounds):
            up_to = bisect_right(ordered, bound, below)
            self.counts[index] += up_to - below
            below = up_to
        self.counts[-1] += len(ordered) - below
        self.total += sum(ordered)

    def buckets(self) -> list[tuple[str, float]]:
        """Each bound as text, with how many values are not above it."""
        names = [*(str(float(bound)) for bound in self.bounds), "+Inf"]
        return list(zip(names, accumulate(self.counts), strict=True))


class Histograms(dict[K, Histogram], Generic[K]):
    """A histogram for each combination of labels, made when it is first asked for."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        super().__init__()
        self._bounds = bounds

    def __missing__(self, key: K) -> Histogram:
        made = self[key] = Histogram(self._bounds)
        return made


class RequestLabels(NamedTuple):
    """What requests are told apart by."""

    verb: str
    """GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE or CONNECT; ``other`` for none of them."""
    dry_run: str
    group: str
    version: str
    resource: str
    subresource: str
    """For what is no resource, its path."""
    scope: str
    """``resource``, ``namespace``, ``cluster``, or nothing."""


class RequestSeries:
    """The requests with the same labels."""

    __slots__ = ("_spared", "codes", "labels", "pending", "seconds", "sizes", "terminations")

    def __init__(self, labels: RequestLabels) -> None:
        self.labels = labels
        self.codes: Counter[tuple[int, str]] = Counter()
        """How many were answered, by status and by what part of Kubernetes asked, if one did."""
        self.seconds = Histogram(REQUEST_SECONDS)
        self.sizes = Histogram(RESPONSE_BYTES) if labels.verb in ("GET", "LIST") else None
        """Of the bodies, where something was read."""
        self._spared: Histogram | None = None
        """By how much the server's own times differ from the whole ones, for the few requests where they do."""
        self.terminations: dict[int, int] = {}
        """How many were ended by the server, to spare itself, by status."""
        self.pending: list[tuple[int, float, int, str]] = []
        """Those that were answered and are not counted yet: status, time, size, and the part of Kubernetes."""

    def settle(self) -> None:
        """Counts those that are pending; to be called when they are MOST_PENDING. All at once cost much less."""
        if not self.pending:
            return
        codes, seconds, sizes, clients = zip(*self.pending, strict=True)
        self.pending.clear()
        self.codes.update(zip(codes, clients, strict=True))
        self.seconds.observe_all(seconds)
        if self.sizes is not None:
            self.sizes.observe_all(sizes)

    def spare(self, seconds: float, others: float) -> None:
        """Of the whole time of a request webhooks and waiting took so many seconds."""
        spared = self._spared = self._spared or Histogram(SLI_SECONDS)
        spared.counts[bisect_left(SLI_SECONDS, seconds)] -= 1
        spared.counts[bisect_left(SLI_SECONDS, seconds - others)] += 1
        spared.total -= others

    def own_seconds(self) -> Histogram:
        """The server's own time for the requests that are counted (``request_sli_duration_seconds``)."""
        own, whole = Histogram(SLI_SECONDS), self.seconds.counts
        own.counts = [sum(whole[: _SLI_FROM + 1]), *whole[_SLI_FROM + 1 :]]
        own.total = self.seconds.total
        if self._spared is not None:
            own.counts = [count + change for count, change in zip(own.counts, self._spared.counts, strict=True)]
            own.total += self._spared.total
        return own

    def turn_away(self, code: int) -> None:
        """Counts one that nobody has looked at (RecordDroppedRequest)."""
        self.codes[code, ""] += 1
        self.terminations[code] = self.terminations.get(code, 0) + 1


class EventSizes:
    """Sizes of watch events about one resource, by the powers of two that they are not above."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * 64
        """Of events of up to ``2 ** index`` bytes: ``(size - 1).bit_length()`` is the index."""
        self.total = 0

    def count(self, size: int) -> None:
        """Counts one event."""
        self.counts[(size - 1).bit_length()] += 1
        self.total += size

    def histogram(self) -> Histogram:
        """The same in the reference's buckets."""
        shown = Histogram(EVENT_BYTES)
        last, first = len(EVENT_BYTES), EVENT_BYTES[0].bit_length() - 1
        for index, count in enumerate(self.counts):
            shown.counts[min(max(index - first, 0), last)] += count
        shown.total = self.total
        return shown


class QueueSeries:
    """What is counted in a work queue (component-base ``metrics/prometheus/workqueue``)."""

    __slots__ = ("adds", "begun", "retries", "waited", "waiting", "worked")

    def __init__(self) -> None:
        self.adds = 0
        self.retries = 0
        self.waited = Histogram(QUEUE_SECONDS)
        """How long keys waited for their turn."""
        self.worked = Histogram(QUEUE_SECONDS)
        """How long they were dealt with."""
        self.waiting: Sized = ()
        """Those that wait now."""
        self.begun: float | None = None
        """Since when one is dealt with, by ``time.monotonic``."""


class Measures:
    """Everything that is counted in one server. Belongs to its event loop."""

    def __init__(self) -> None:
        self.requests: dict[RequestLabels, RequestSeries] = {}
        self.events: defaultdict[tuple[str, str, str], EventSizes] = defaultdict(EventSizes)
        """Watch events that were sent, by group, version and resource."""
        self.admission_steps: Histograms[tuple[str, str, bool]] = Histograms(ADMISSION_SECONDS)
        """By type (``admit`` or ``validate``), operation, and whether it was refused."""
        self.plugins: Histograms[tuple[str, str, str, bool]] = Histograms(ADMISSION_SECONDS)
        """The same, by name first."""
        self.webhooks: Histograms[tuple[str, str, str, bool]] = Histograms(WEBHOOK_SECONDS)
        """The same of webhooks."""
        self.store_calls: Histograms[tuple[str, str, str]] = Histograms(REQUEST_SECONDS)
        """Writes that an etcd was asked for, by operation, group and resource."""
        self.store_failures: Counter[tuple[str, str, str]] = Counter()
        """How many of them were not answered, or refused."""
        self.queues: defaultdict[str, QueueSeries] = defaultdict(QueueSeries)
        """The controllers' queues by name."""
        self.webhook_codes: Counter[tuple[str, str, str, int, bool]] = Counter()
        """How many calls of webhooks there were, by name, type, operation, code, and whether it was refused."""

    def note_store_call(self, operation: str, key: str, seconds: float, is_answered: bool) -> None:
        """Counts a write that an etcd was asked for, by the key of the object."""
        _, group, plural = f"{key}//".split("/", 3)[:3] if key.startswith("/") else ("", "", "")
        if plural:
            labels = operation, "" if group == "core" else group, plural
            self.store_calls[labels].observe(seconds)
            self.store_failures[labels] += not is_answered

    def of(self, labels: RequestLabels) -> RequestSeries:
        """The series of requests with these labels."""
        series = self.requests.get(labels)
        if series is None:
            series = self.requests[labels] = RequestSeries(labels)
        return series
