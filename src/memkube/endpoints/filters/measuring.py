"""Labels of the request metrics: verb, scope and the others of the reference's metrics.

Source: apiserver ``endpoints/metrics`` (MonitorRequest, CleanVerb, CleanScope) and ``endpoints/installer.go``.
"""

from typing import Final

from memkube.apimachinery.meta.validation.options import validate_write_options
from memkube.endpoints.requests.address import Address
from memkube.endpoints.requests.api_request import LASTING, ApiRequest
from memkube.registry.writes.patching import APPLY_PATCH
from memkube.telemetry.measures import Measures, RequestLabels, RequestSeries

_VERBS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
_PARTS: Final = frozenset({b"kube-apiserver", b"kube-controller-manager", b"kube-scheduler"})
"""The components of Kubernetes that the metrics distinguish by user agent."""


def labels_of(method: str, address: Address) -> RequestLabels:
    """Return the labels of a request for a resource, without looking at its query."""
    scope = "namespace" if address.namespace else "cluster"
    if address.name or method == "POST":
        scope = "resource"
    verb = "GET" if method == "HEAD" else method
    if address.subresource in LASTING:
        verb = "CONNECT"
    elif address.watch:
        verb = "WATCH"
    elif verb == "GET" and scope != "resource":
        verb = "LIST"
    elif verb not in _VERBS:
        verb = "other"
    return RequestLabels(verb, "", address.group, address.version, address.resource, address.subresource, scope)


def series_of(request: ApiRequest, series: RequestSeries, measures: Measures, *, watches: bool) -> RequestSeries:
    """Return the series that counts a request, by its query and media type; `series` is that of its address."""
    labels = series.labels
    if watches:
        return measures.of(labels._replace(verb="WATCH"))
    if labels.verb == "PATCH" and request.header(b"content-type") == APPLY_PATCH:
        series = measures.of(labels._replace(verb="APPLY"))
    if b"dryRun" in request.scope["query_string"]:
        asked = request.query.get("dryRun", [])
        dry_run = "invalid" if validate_write_options("", asked, "") else ",".join(sorted(set(asked)))
        series = measures.of(series.labels._replace(dry_run=dry_run))
    return series


def client_of(agent: bytes) -> str:
    """Return the component of Kubernetes that sends the request, or "" for any other client."""
    client, slash, _ = agent.partition(b"/")
    return client.decode() if slash and client in _PARTS else ""
