"""``/metrics``: what is counted, in the names and labels of the reference's metrics.

Sources: apiserver ``endpoints/metrics``, ``admission/metrics``, ``storage/etcd3/metrics``; component-base ``metrics``,
by which a description begins with how stable a metric is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from time import monotonic
from typing import Any, Final

from prometheus_client import GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry
from starlette.types import Receive, Scope, Send

from memkube.endpoints.filters.seats import AllSeats
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.responses.responses import BytesResponse, generic_refusal, refused
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Histogram, Measures, RequestLabels

_COMPONENT: Final = "apiserver"
_REQUEST: Final = (*RequestLabels._fields, "component")
_SIZED: Final = tuple(name for name in _REQUEST if name != "dry_run")
_RESOURCE: Final = ("group", "version", "resource")


class Metrics:
    """Answers ``/metrics``, as text or as OpenMetrics."""

    def __init__(self, registry: Registry, measures: Measures, seats: AllSeats) -> None:
        self._registry = registry
        self._measures = measures
        self._seats = seats
        self._process = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._process)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        request = ApiRequest(scope, receive)
        if request.method not in ("GET", "HEAD"):
            await refused(request, generic_refusal(405))(scope, receive, send)
            return
        measures = self._measures
        objects = await self._registry.count_objects()
        sizes = await self._registry.storage_size()
        stored = [*_store_calls(measures), *_sizes(sizes), *_objects(objects)]
        families = [*_families(measures), *_seats(self._seats), *stored, *self._process.collect()]
        encode, content_type = choose_encoder(request.accept)
        await BytesResponse(encode(_Ready(families)), 200, content_type)(scope, receive, send)


class _Ready(Collector):
    """Families that are made already."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        """See Collector."""
        return self._families


def _families(measures: Measures) -> Iterator[Metric]:
    yield from _requests(measures)
    yield from _watches(measures)
    yield from _admission(measures)
    yield from _queues(measures)


def _requests(measures: Measures) -> Iterator[Metric]:
    counts = CounterMetricFamily(
        "apiserver_request",
        "[STABLE] Requests that were answered, by verb, dry run, resource, scope and status.",
        labels=(*_REQUEST, "code", "system_client"),
    )
    seconds = _histogram(
        "apiserver_request_duration_seconds", "[STABLE] How long requests took until they were answered.", _REQUEST
    )
    own = _histogram(
        "apiserver_request_sli_duration_seconds",
        "[ALPHA] How long the server itself took for them: webhooks and waiting for a seat apart, without dry runs.",
        _SIZED,
    )
    sizes = _histogram("apiserver_response_sizes", "[STABLE] How many bytes the answers to reads had.", _SIZED)
    terminations = CounterMetricFamily(
        "apiserver_request_terminations",
        "[ALPHA] Requests that were turned away so that others can be served.",
        labels=(*_SIZED, "code"),
    )
    for labels, series in measures.requests.items():
        series.settle()
        values = (*labels, _COMPONENT)
        for code, count in series.terminations.items():
            terminations.add_metric((labels.verb, *values[2:], str(code)), count)
        for (code, client), count in series.codes.items():
            counts.add_metric((*values, str(code), client), count)
        _add(seconds, values, series.seconds)
        if not labels.dry_run:
            _add(own, (labels.verb, *values[2:]), series.own_seconds())
        if series.sizes is not None:
            _add(sizes, (labels.verb, *values[2:]), series.sizes)
    yield from (counts, seconds, own, sizes, terminations)


def _seats(seats: AllSeats) -> Iterator[Metric]:
    kinds = (("readOnly", seats.reads), ("mutating", seats.writes))
    working = GaugeMetricFamily(
        "apiserver_current_inflight_requests",
        "[STABLE] Requests that were worked on at once in the last second, at most.",
        labels=("request_kind",),
    )
    waiting = GaugeMetricFamily(
        "apiserver_current_inqueue_requests", "[ALPHA] Requests that wait for a seat.", labels=("request_kind",)
    )
    for kind, places in kinds:
        working.add_metric((kind,), places.peak)
        waiting.add_metric((kind,), places.waiting)
    lasting = GaugeMetricFamily("apiserver_longrunning_requests", "[STABLE] Open watches and streams.", labels=_SIZED)
    holders = (holder.series for places in (seats.watches, seats.streams) for holder in places.holders)
    for series, count in Counter(series for series in holders if series is not None).items():
        labels = series.labels
        lasting.add_metric((labels.verb, *labels[2:], _COMPONENT), count)
    yield from (working, waiting, lasting)


def _watches(measures: Measures) -> Iterator[Metric]:
    counts = CounterMetricFamily(
        "apiserver_watch_events", "[ALPHA] Events that were sent to those who watch.", labels=_RESOURCE
    )
    sizes = _histogram("apiserver_watch_events_sizes", "[ALPHA] How many bytes they had.", _RESOURCE)
    for labels, sent in measures.events.items():
        shown = sent.histogram()
        counts.add_metric(labels, sum(shown.counts))
        _add(sizes, labels, shown)
    yield from (counts, sizes)


def _admission(measures: Measures) -> Iterator[Metric]:
    named = ("name", "type", "operation", "rejected")
    prefix = "apiserver_admission"
    steps = _histogram(
        f"{prefix}_step_admission_duration_seconds", "[STABLE] How long all plugins took together.", named[1:]
    )
    plugins = _histogram(f"{prefix}_controller_admission_duration_seconds", "[STABLE] How long each took.", named)
    webhooks = _histogram(f"{prefix}_webhook_admission_duration_seconds", "[STABLE] How long webhooks took.", named)
    for family, measured in (
        (steps, measures.admission_steps),
        (plugins, measures.plugins),
        (webhooks, measures.webhooks),
    ):
        labelled: Mapping[tuple[Any, ...], Histogram] = measured
        for labels, histogram in labelled.items():
            _add(family, tuple(_text(label) for label in labels), histogram)
        yield family
    calls = CounterMetricFamily(
        f"{prefix}_webhook_request",
        "[ALPHA] Calls of webhooks, by name, type, operation, code, and whether the request was refused.",
        labels=("name", "type", "operation", "code", "rejected"),
    )
    for key, count in measures.webhook_codes.items():
        calls.add_metric(tuple(map(_text, key)), count)
    yield calls


def _queues(measures: Measures) -> Iterator[Metric]:
    labels = ("name",)
    depth = GaugeMetricFamily("workqueue_depth", "[BETA] Keys that wait for a controller.", labels=labels)
    adds = CounterMetricFamily("workqueue_adds", "[BETA] Keys that were put there.", labels=labels)
    retries = CounterMetricFamily("workqueue_retries", "[BETA] Those that come back.", labels=labels)
    waited = _histogram("workqueue_queue_duration_seconds", "[BETA] How long they waited.", labels)
    worked = _histogram("workqueue_work_duration_seconds", "[BETA] How long they were dealt with.", labels)
    unfinished = GaugeMetricFamily(
        "workqueue_unfinished_work_seconds", "[BETA] For how long one is dealt with that is not done.", labels=labels
    )
    longest = GaugeMetricFamily(
        "workqueue_longest_running_processor_seconds", "[BETA] The same: each queue has one processor.", labels=labels
    )
    for name, queue in measures.queues.items():
        running = 0.0 if queue.begun is None else monotonic() - queue.begun
        values = ((depth, len(queue.waiting)), (adds, queue.adds), (retries, queue.retries))
        for family, value in (*values, (unfinished, running), (longest, running)):
            family.add_metric((name,), value)
        _add(waited, (name,), queue.waited)
        _add(worked, (name,), queue.worked)
    yield from (depth, adds, retries, waited, worked, unfinished, longest)


def _store_calls(measures: Measures) -> Iterator[Metric]:
    labels = ("operation", "group", "resource")
    seconds = _histogram("etcd_request_duration_seconds", "[ALPHA] How long etcd took for each operation.", labels)
    counts = CounterMetricFamily("etcd_requests", "[ALPHA] What etcd was asked for.", labels=labels)
    failures = CounterMetricFamily("etcd_request_errors", "[ALPHA] What it refused, or did not answer.", labels=labels)
    for key, histogram in measures.store_calls.items():
        _add(seconds, key, histogram)
        counts.add_metric(key, sum(histogram.counts))
        if failed := measures.store_failures[key]:
            failures.add_metric(key, failed)
    yield from (seconds, counts, failures)


def _sizes(sizes: Mapping[str, int]) -> Iterator[Metric]:
    family = GaugeMetricFamily(
        "apiserver_storage_size_bytes",
        "[STABLE] How many bytes the storage takes on disk.",
        labels=("storage_cluster_id",),
    )
    for name, size in sizes.items():
        family.add_metric((name,), size)
    yield family


def _objects(counts: Mapping[tuple[str, str], int]) -> Iterator[Metric]:
    by_group = GaugeMetricFamily(
        "apiserver_resource_objects", "[ALPHA] How many objects are stored.", labels=("group", "resource")
    )
    by_name = GaugeMetricFamily(
        "apiserver_storage_objects",
        "[STABLE] How many objects are stored. (Deprecated since 1.34.0: see apiserver_resource_objects.)",
        labels=("resource",),
    )
    for (group, plural), count in counts.items():
        by_group.add_metric((group, plural), count)
        by_name.add_metric((f"{plural}.{group}" if group else plural,), count)
    yield from (by_group, by_name)


def _histogram(name: str, description: str, labels: Iterable[str]) -> HistogramMetricFamily:
    return HistogramMetricFamily(name, description, labels=tuple(labels))


def _add(family: HistogramMetricFamily, labels: tuple[str, ...], histogram: Histogram) -> None:
    """Adds a histogram, unless nothing was observed in it."""
    if any(histogram.counts):
        family.add_metric(labels, histogram.buckets(), histogram.total)


def _text(label: object) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)
