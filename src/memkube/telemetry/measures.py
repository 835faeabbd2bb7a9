"""Counters and histograms as plain numbers. ``/metrics`` converts them to metrics when it is requested.

Names, labels and buckets are those of kube-apiserver (``endpoints/metrics``, ``admission/metrics``).
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence, Sized
from datetime import datetime
from hashlib import sha256
from itertools import accumulate, repeat
from operator import mul
from typing import Final, Generic, NamedTuple, TypeVar

MOST_PENDING: Final = 50
"""When this number of responses with equal labels are pending, all of them are added to the histograms at once."""
K = TypeVar("K", bound=Hashable)

REQUEST_SECONDS: Final = (
    *(0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60),
)
_SLI_FROM: Final = 2
SLI_SECONDS: Final = REQUEST_SECONDS[_SLI_FROM:]
"""Buckets of the metric request_sli_duration_seconds, which excludes the time in webhooks and queues."""
ADMISSION_SECONDS: Final = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5)
WEBHOOK_SECONDS: Final = (*ADMISSION_SECONDS, 10, 25)
QUEUE_SECONDS: Final = tuple(accumulate(repeat(10.0, 9), mul, initial=10e-9))
RESPONSE_BYTES: Final = tuple(1000 * 10**power for power in range(7))
EVENT_BYTES: Final = tuple(1024 * 2**power for power in range(8))


class Histogram:
    """A histogram: number of values per bucket, and their sum."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Add a value to the bucket that it belongs to."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def observe_all(self, values: Sequence[float]) -> None:
        """Add many values to the histogram, which is faster than adding each with `observe`."""
        ordered, below = sorted(values), 0
        for index, bound in enumerate(self.bounds):
            up_to = bisect_right(ordered, bound, below)
            self.counts[index] += up_to - below
            below = up_to
        self.counts[-1] += len(ordered) - below
        self.total += sum(ordered)

    def buckets(self) -> list[tuple[str, float]]:
        """Return the upper bound of each bucket as text, with the number of values up to that bound."""
        names = [*(str(float(bound)) for bound in self.bounds), "+Inf"]
        return list(zip(names, accumulate(self.counts), strict=True))


class Histograms(dict[K, Histogram], Generic[K]):
    """Histograms by the values of their metric's labels. Each is created when it is first used."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        super().__init__()
        self._bounds = bounds

    def __missing__(self, key: K) -> Histogram:
        made = self[key] = Histogram(self._bounds)
        return made


class RequestLabels(NamedTuple):
    """Values of the labels that kube-apiserver's request metrics have in common, such as verb and resource."""

    verb: str
    """GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE or CONNECT, or ``other``."""
    dry_run: str
    group: str
    version: str
    resource: str
    subresource: str
    """Name of the subresource. If the request is not for a resource, the path of the request."""
    scope: str
    """Scope of the path: one object (``resource``), a ``namespace`` or the ``cluster``; otherwise empty."""


class RequestSeries:
    """Metrics of requests with the same labels."""

    __slots__ = ("_spared", "codes", "labels", "pending", "seconds", "sizes", "terminations")

    def __init__(self, labels: RequestLabels) -> None:
        self.labels = labels
        self.codes: Counter[tuple[int, str]] = Counter()
        """Number of responses, by status and by the Kubernetes component that sent the request."""
        self.seconds = Histogram(REQUEST_SECONDS)
        self.sizes = Histogram(RESPONSE_BYTES) if labels.verb in ("GET", "LIST") else None
        """Sizes of the response bodies of reads in bytes."""
        self._spared: Histogram | None = None
        """Changes to subtract the time in webhooks and queues from the histogram `seconds`; None if there are none."""
        self.terminations: dict[int, int] = {}
        """Number of requests that the server terminated because of a limit, by status."""
        self.pending: list[tuple[int, float, int, str]] = []
        """Responses not yet added to the histograms: status, seconds, bytes, and component."""

    def settle(self) -> None:
        """Add the pending responses to the histograms.

        Adding many responses at a time is much faster than adding each alone.
        """
        if not self.pending:
            return
        codes, seconds, sizes, clients = zip(*self.pending, strict=True)
        self.pending.clear()
        self.codes.update(zip(codes, clients, strict=True))
        self.seconds.observe_all(seconds)
        if self.sizes is not None:
            self.sizes.observe_all(sizes)

    def spare(self, seconds: float, others: float) -> None:
        """Subtract the seconds that a request spent in webhooks and queues (`others`) from the server's own time.

        `seconds` is the duration of the request.
        """
        spared = self._spared = self._spared or Histogram(SLI_SECONDS)
        spared.counts[bisect_left(SLI_SECONDS, seconds)] -= 1
        spared.counts[bisect_left(SLI_SECONDS, seconds - others)] += 1
        spared.total -= others

    def own_seconds(self) -> Histogram:
        """Return the histogram of the server's own time (``request_sli_duration_seconds``)."""
        own, whole = Histogram(SLI_SECONDS), self.seconds.counts
        own.counts = [sum(whole[: _SLI_FROM + 1]), *whole[_SLI_FROM + 1 :]]
        own.total = self.seconds.total
        if self._spared is not None:
            own.counts = [count + change for count, change in zip(own.counts, self._spared.counts, strict=True)]
            own.total += self._spared.total
        return own

    def count_rejection(self, code: int) -> None:
        """Count a request that was rejected before it was processed (RecordDroppedRequest)."""
        self.codes[code, ""] += 1
        self.terminations[code] = self.terminations.get(code, 0) + 1


class EventSizes:
    """Sizes of the watch events of one resource: the number of events for each power of two."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * 64
        """By index, the number of events of at most ``2 ** index`` bytes and more than half of that."""
        self.total = 0

    def count(self, size: int) -> None:
        """Add an event of this size in bytes."""
        self.counts[(size - 1).bit_length()] += 1
        self.total += size

    def histogram(self) -> Histogram:
        """Return the sizes as a histogram with the buckets of kube-apiserver."""
        shown = Histogram(EVENT_BYTES)
        last, first = len(EVENT_BYTES), EVENT_BYTES[0].bit_length() - 1
        for index, count in enumerate(self.counts):
            shown.counts[min(max(index - first, 0), last)] += count
        shown.total = self.total
        return shown


class QueueSeries:
    """Metrics of a controller's work queue (component-base ``metrics/prometheus/workqueue``)."""

    __slots__ = ("adds", "begun", "retries", "waited", "waiting", "worked")

    def __init__(self) -> None:
        self.adds = 0
        self.retries = 0
        self.waited = Histogram(QUEUE_SECONDS)
        """Seconds that keys spent waiting in the queue."""
        self.worked = Histogram(QUEUE_SECONDS)
        """Seconds spent processing keys."""
        self.waiting: Sized = ()
        """Keys that are waiting in the queue now."""
        self.begun: float | None = None
        """Start of the processing of the current key by ``time.monotonic``; None if no key is being processed."""


class ConfigurationReloads:
    """Reloads of one configuration file since the server's start, and the hash of the content in use."""

    def __init__(self) -> None:
        self.content_hash = ""
        """SHA-256 of the content in use, as ``sha256:`` and hexadecimal digits; empty if there is no such file."""
        self.counts: Counter[str] = Counter()
        """Number of reloads by status (``success`` or ``failure``)."""
        self.latest: dict[str, datetime] = {}
        """Time of the latest reload by status."""

    def use(self, text: str) -> None:
        """Record the hash of the configuration file's text, which is in use from now on."""
        self.content_hash = f"sha256:{sha256(text.encode()).hexdigest()}"

    def note(self, status: str, time: datetime) -> None:
        """Count one reload of the configuration file; `status` is its result, and `time` is when it happened."""
        self.counts[status] += 1
        self.latest[status] = time


class Measures:
    """All metrics of one server. May be used only on the server's event loop."""

    def __init__(self) -> None:
        self.requests: dict[RequestLabels, RequestSeries] = {}
        self.events: defaultdict[tuple[str, str, str], EventSizes] = defaultdict(EventSizes)
        """Sizes of the watch events sent, by group, version and resource."""
        self.admission_steps: Histograms[tuple[str, str, bool]] = Histograms(ADMISSION_SECONDS)
        """Seconds of admission by type (``admit`` or ``validate``), operation, and whether the request was rejected."""
        self.plugins: Histograms[tuple[str, str, str, bool]] = Histograms(ADMISSION_SECONDS)
        """Seconds of each admission plugin, by plugin name and the labels of `admission_steps`."""
        self.webhooks: Histograms[tuple[str, str, str, bool]] = Histograms(WEBHOOK_SECONDS)
        """Seconds of each admission webhook, by webhook name and the labels of `admission_steps`."""
        self.store_calls: Histograms[tuple[str, str, str]] = Histograms(REQUEST_SECONDS)
        """Seconds of writes to etcd, by operation, group and resource."""
        self.store_failures: Counter[tuple[str, str, str]] = Counter()
        """Number of failed writes to etcd, by operation, group and resource."""
        self.queues: defaultdict[str, QueueSeries] = defaultdict(QueueSeries)
        """Metrics of the work queues, by queue name."""
        self.reloads: defaultdict[str, ConfigurationReloads] = defaultdict(ConfigurationReloads)
        """Reloads of the configuration files of ``authentication`` and ``authorization``."""
        self.audit_events = 0
        """Number of events that were written to the audit log."""
        self.audit_levels: Counter[str] = Counter()
        """Number of requests by the level that the audit policy sets for them, such as Metadata."""
        self.healthy: dict[tuple[str, str], bool] = {}
        """True for each health check that passed when it ran last, by name and type of the check."""
        self.health_results: Counter[tuple[str, str, str]] = Counter()
        """Number of results of health checks, by name and type of the check, and by status."""
        self.webhook_codes: Counter[tuple[str, str, str, int, bool]] = Counter()
        """Number of webhook calls by webhook name, type, operation, status code, and whether the request was
        rejected."""

    def note_health(self, check: str, kind: str, *, is_healthy: bool) -> None:
        """Record the result of a health check. `kind` is ``healthz``, ``livez`` or ``readyz``."""
        self.healthy[check, kind] = is_healthy
        self.health_results[check, kind, "success" if is_healthy else "error"] += 1

    def note_store_call(self, operation: str, key: str, seconds: float, is_answered: bool) -> None:
        """Record the duration and the outcome of one write to etcd.

        `operation` is the type of the write, such as create, and `key` the storage key of the written object.
        `is_answered` is False if etcd did not answer or returned an error.
        """
        _, group, plural = f"{key}//".split("/", 3)[:3] if key.startswith("/") else ("", "", "")
        if plural:
            labels = operation, "" if group == "core" else group, plural
            self.store_calls[labels].observe(seconds)
            self.store_failures[labels] += not is_answered

    def of(self, labels: RequestLabels) -> RequestSeries:
        """Return the metrics of requests whose labels are `labels`; they are created on first use."""
        series = self.requests.get(labels)
        if series is None:
            series = self.requests[labels] = RequestSeries(labels)
        return series
