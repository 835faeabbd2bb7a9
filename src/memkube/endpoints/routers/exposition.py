"""The metrics of a server in Prometheus formats, with the names and labels of kube-apiserver's metrics.

Sources: apiserver ``endpoints/metrics``, ``admission/metrics``, ``storage/etcd3/metrics``; component-base ``metrics``
(a description begins with the stability level of the metric).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from time import monotonic
from typing import Any, Final

from prometheus_client import GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry
from typing_extensions import override

from memkube.endpoints.filters.seats import AllSeats
from memkube.endpoints.responses.responses import BytesResponse
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Histogram, Measures, RequestLabels

_COMPONENT: Final = "apiserver"
_REQUEST: Final = (*RequestLabels._fields, "component")
_SIZED: Final = tuple(name for name in _REQUEST if name != "dry_run")
_RESOURCE: Final = ("group", "version", "resource")


class Exposition:
    """Formats all metrics of one server in Prometheus' text format or in OpenMetrics."""

    def __init__(self, registry: Registry, measures: Measures, seats: AllSeats) -> None:
        self._registry = registry
        self._measures = measures
        self._seats = seats
        self._process = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._process)

    async def response(self, accept: str) -> BytesResponse:
        """Return a response with the current values of all metrics, in the format that the Accept header requests."""
        measures = self._measures
        objects = await self._registry.count_objects()
        sizes = await self._registry.storage_size()
        stored = [*_store_calls(measures), *_sizes(sizes), *_objects(objects)]
        families = [*_families(measures), *_seats(self._seats), *stored, *self._process.collect()]
        encode, content_type = choose_encoder(accept)
        return BytesResponse(encode(_Ready(families)), 200, content_type)

    def health_response(self, accept: str) -> BytesResponse:
        """Return a response with the metrics of the health checks (``/metrics/slis``)."""
        results = GaugeMetricFamily(
            "kubernetes_healthcheck",
            "[STABLE] Result of the last run of a health check: 1 if it passed, otherwise 0.",
            labels=("name", "type"),
        )
        counts = CounterMetricFamily(
            "kubernetes_healthchecks",
            "[STABLE] Number of results of health checks.",
            labels=("name", "type", "status"),
        )
        for labels, is_healthy in sorted(self._measures.healthy.items()):
            results.add_metric(labels, is_healthy)
        for result, count in sorted(self._measures.health_results.items()):
            counts.add_metric(result, count)
        encode, content_type = choose_encoder(accept)
        return BytesResponse(encode(_Ready((results, counts))), 200, content_type)


class _Ready(Collector):
    """A Prometheus collector of metric families that were computed in advance."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    @override
    def collect(self) -> Iterable[Metric]:
        return self._families


def _families(measures: Measures) -> Iterator[Metric]:
    yield from _requests(measures)
    yield from _watches(measures)
    yield from _admission(measures)
    yield from _queues(measures)
    yield from _reloads(measures)
    yield from _audit(measures)


def _requests(measures: Measures) -> Iterator[Metric]:
    counts = CounterMetricFamily(
        "apiserver_request",
        "[STABLE] Number of answered requests, by verb, dry run, resource, scope and status.",
        labels=(*_REQUEST, "code", "system_client"),
    )
    seconds = _histogram(
        "apiserver_request_duration_seconds", "[STABLE] Seconds until requests were answered.", _REQUEST
    )
    own = _histogram(
        "apiserver_request_sli_duration_seconds",
        "[ALPHA] Seconds of the server's own work per request, without webhooks, waiting for a seat, and dry runs.",
        _SIZED,
    )
    sizes = _histogram("apiserver_response_sizes", "[STABLE] Bytes of the answers to reads.", _SIZED)
    terminations = CounterMetricFamily(
        "apiserver_request_terminations",
        "[ALPHA] Number of requests refused because the server was busy.",
        labels=(*_SIZED, "code"),
    )
    for labels, series in measures.requests.items():
        series.settle()
        # Requests for paths that are no resources, such as health checks, have an empty label `component`.
        values = (*labels, _COMPONENT if labels.resource else "")
        for code, count in series.terminations.items():
            terminations.add_metric((labels.verb, *values[2:], str(code)), count)
        for (code, client), count in series.codes.items():
            counts.add_metric((*values, str(code), client), count)
        _add(seconds, values, series.seconds)
        if not labels.dry_run and labels.verb != "WATCH":
            _add(own, (labels.verb, *values[2:]), series.own_seconds())
        if series.sizes is not None:
            _add(sizes, (labels.verb, *values[2:]), series.sizes)
    yield from (counts, seconds, own, sizes, terminations)


def _seats(seats: AllSeats) -> Iterator[Metric]:
    kinds = (("readOnly", seats.reads), ("mutating", seats.writes))
    working = GaugeMetricFamily(
        "apiserver_current_inflight_requests",
        "[STABLE] Maximum number of requests served at once in the last second.",
        labels=("request_kind",),
    )
    waiting = GaugeMetricFamily(
        "apiserver_current_inqueue_requests",
        "[ALPHA] Number of requests that wait for a seat.",
        labels=("request_kind",),
    )
    for kind, places in kinds:
        working.add_metric((kind,), places.peak)
        waiting.add_metric((kind,), places.waiting)
    lasting = GaugeMetricFamily(
        "apiserver_longrunning_requests", "[STABLE] Number of open watches and streams.", labels=_SIZED
    )
    holders = (holder.series for places in (seats.watches, seats.streams) for holder in places.holders)
    for series, count in Counter(series for series in holders if series is not None).items():
        labels = series.labels
        lasting.add_metric((labels.verb, *labels[2:], _COMPONENT), count)
    yield from (working, waiting, lasting)


def _watches(measures: Measures) -> Iterator[Metric]:
    counts = CounterMetricFamily(
        "apiserver_watch_events", "[ALPHA] Number of events sent to watchers.", labels=_RESOURCE
    )
    sizes = _histogram("apiserver_watch_events_sizes", "[ALPHA] Bytes of the events sent to watchers.", _RESOURCE)
    for labels, sent in measures.events.items():
        shown = sent.histogram()
        counts.add_metric(labels, sum(shown.counts))
        _add(sizes, labels, shown)
    yield from (counts, sizes)


def _admission(measures: Measures) -> Iterator[Metric]:
    named = ("name", "type", "operation", "rejected")
    prefix = "apiserver_admission"
    steps = _histogram(
        f"{prefix}_step_admission_duration_seconds",
        "[STABLE] Seconds that all admission plugins took together.",
        named[1:],
    )
    plugins = _histogram(
        f"{prefix}_controller_admission_duration_seconds", "[STABLE] Seconds that each admission plugin took.", named
    )
    webhooks = _histogram(
        f"{prefix}_webhook_admission_duration_seconds", "[STABLE] Seconds that each admission webhook took.", named
    )
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
        "[ALPHA] Number of calls of webhooks, by name, type, operation, code, and if the request was refused.",
        labels=("name", "type", "operation", "code", "rejected"),
    )
    for key, count in measures.webhook_codes.items():
        calls.add_metric(tuple(map(_text, key)), count)
    yield calls


def _queues(measures: Measures) -> Iterator[Metric]:
    labels = ("name",)
    depth = GaugeMetricFamily("workqueue_depth", "[BETA] Number of keys in the queue.", labels=labels)
    adds = CounterMetricFamily("workqueue_adds", "[BETA] Number of keys added to the queue.", labels=labels)
    retries = CounterMetricFamily(
        "workqueue_retries", "[BETA] Number of keys added again after a failure.", labels=labels
    )
    waited = _histogram("workqueue_queue_duration_seconds", "[BETA] Seconds that keys waited in the queue.", labels)
    worked = _histogram("workqueue_work_duration_seconds", "[BETA] Seconds of work per key.", labels)
    unfinished = GaugeMetricFamily(
        "workqueue_unfinished_work_seconds", "[BETA] Seconds of work on the current key so far.", labels=labels
    )
    longest = GaugeMetricFamily(
        "workqueue_longest_running_processor_seconds",
        "[BETA] Seconds of work on the current key so far; a queue has one processor.",
        labels=labels,
    )
    for name, queue in measures.queues.items():
        running = 0.0 if queue.begun is None else monotonic() - queue.begun
        values = ((depth, len(queue.waiting)), (adds, queue.adds), (retries, queue.retries))
        for family, value in (*values, (unfinished, running), (longest, running)):
            family.add_metric((name,), value)
        _add(waited, (name,), queue.waited)
        _add(worked, (name,), queue.worked)
    yield from (depth, adds, retries, waited, worked, unfinished, longest)


def _audit(measures: Measures) -> Iterator[Metric]:
    yield CounterMetricFamily(
        "apiserver_audit_event", "[ALPHA] Number of events written to the audit log.", value=measures.audit_events
    )
    levels = CounterMetricFamily(
        "apiserver_audit_level", "[ALPHA] Number of requests by level of the audit policy.", labels=("level",)
    )
    for level, count in measures.audit_levels.items():
        levels.add_metric((level,), count)
    yield levels


def _reloads(measures: Measures) -> Iterator[Metric]:
    used = {subject: reloads for subject, reloads in measures.reloads.items() if reloads.content_hash}
    for subject, reloads in used.items():
        prefix, of = f"apiserver_{subject}_config_controller", f"of the {subject} configuration"
        counts = CounterMetricFamily(
            f"{prefix}_automatic_reloads", f"[BETA] Number of automatic reloads {of} by status.", labels=("status",)
        )
        latest = GaugeMetricFamily(
            f"{prefix}_automatic_reload_last_timestamp_seconds",
            f"[BETA] Time of the last automatic reload {of} by status.",
            labels=("status",),
        )
        content = GaugeMetricFamily(
            f"{prefix}_last_config_info", f"[ALPHA] Hash {of} that was applied last.", labels=("hash",)
        )
        content.add_metric((reloads.content_hash,), 1)
        for status, count in reloads.counts.items():
            counts.add_metric((status,), count)
            latest.add_metric((status,), reloads.latest[status].timestamp())
        yield from (counts, latest, content)


def _store_calls(measures: Measures) -> Iterator[Metric]:
    labels = ("operation", "group", "resource")
    seconds = _histogram("etcd_request_duration_seconds", "[ALPHA] Seconds that etcd took, by operation.", labels)
    counts = CounterMetricFamily("etcd_requests", "[ALPHA] Number of requests to etcd.", labels=labels)
    failures = CounterMetricFamily(
        "etcd_request_errors", "[ALPHA] Number of requests that etcd refused or did not answer.", labels=labels
    )
    for key, histogram in measures.store_calls.items():
        _add(seconds, key, histogram)
        counts.add_metric(key, sum(histogram.counts))
        if failed := measures.store_failures[key]:
            failures.add_metric(key, failed)
    yield from (seconds, counts, failures)


def _sizes(sizes: Mapping[str, int]) -> Iterator[Metric]:
    family = GaugeMetricFamily(
        "apiserver_storage_size_bytes",
        "[STABLE] Bytes of the storage on disk.",
        labels=("storage_cluster_id",),
    )
    for name, size in sizes.items():
        family.add_metric((name,), size)
    yield family


def _objects(counts: Mapping[tuple[str, str], int]) -> Iterator[Metric]:
    by_group = GaugeMetricFamily(
        "apiserver_resource_objects", "[ALPHA] Number of stored objects.", labels=("group", "resource")
    )
    by_name = GaugeMetricFamily(
        "apiserver_storage_objects",
        "[STABLE] Number of stored objects. (Deprecated since 1.34.0: see apiserver_resource_objects.)",
        labels=("resource",),
    )
    for (group, plural), count in counts.items():
        by_group.add_metric((group, plural), count)
        by_name.add_metric((f"{plural}.{group}" if group else plural,), count)
    yield from (by_group, by_name)


def _histogram(name: str, description: str, labels: Iterable[str]) -> HistogramMetricFamily:
    return HistogramMetricFamily(name, description, labels=tuple(labels))


def _add(family: HistogramMetricFamily, labels: tuple[str, ...], histogram: Histogram) -> None:
    """Add a histogram to a metric family; `labels` are the values of its labels. An empty histogram is left out."""
    if any(histogram.counts):
        family.add_metric(labels, histogram.buckets(), histogram.total)


def _text(label: object) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)
