"""Labels of the request metrics: verb, scope and the other labels of kube-apiserver's metrics.

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
"""Kubernetes components, recognised by their user agents, that some metrics distinguish."""


def labels_of(method: str, address: Address) -> RequestLabels:
    """Return the metric labels of a request for a resource, as far as they follow from its method and address."""
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
    """Return the metric series that counts a request, which depends on its query and media type too.

    `series` is the one that follows from method and address alone.
    """
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
    """Return the Kubernetes component that has this user agent, or "" for any other client."""
    client, slash, _ = agent.partition(b"/")
    return client.decode() if slash and client in _PARTS else ""
