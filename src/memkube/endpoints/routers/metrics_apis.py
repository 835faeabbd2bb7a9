"""``custom.metrics.k8s.io`` and ``external.metrics.k8s.io`` (``sigs.k8s.io/custom-metrics-apiserver``).

In these groups, the plural name of a resource is the name of a metric. So their resources are not declared like other
resources.
"""

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.apimachinery.model import Document
from memkube.endpoints.requests.api_request import ApiRequest, parse_address
from memkube.endpoints.requests.negotiation import NOT_TABULAR, negotiate
from memkube.endpoints.responses.responses import NOT_FOUND_TEXT, document_response, generic_refusal, text_response
from memkube.endpoints.routers.api_route import ANY_METHOD, TolerantRoute
from memkube.registry.declarations.interface import CustomMetricQuery, MetricResource, MetricsApis

EXTERNAL: Final = "external.metrics.k8s.io"
GROUPS: Final = ("custom.metrics.k8s.io", EXTERNAL)


def metrics_apis_router(apis: MetricsApis) -> APIRouter:
    """Return a router that serves the values of the metrics in `apis`.

    Other routers serve the discovery of the API groups of the metrics.
    """
    router = APIRouter(route_class=TolerantRoute)

    @router.api_route("/apis/custom.metrics.k8s.io/{version}/{rest:path}", methods=ANY_METHOD)
    async def custom(request: ApiRequest) -> ASGIApp:
        address = parse_address(request.path)
        assert address is not None
        if address.version not in apis.versions().get(address.group, ()):
            return text_response(NOT_FOUND_TEXT, 404)
        namespace, resource, name, metric = address.namespace, address.resource, address.name, address.subresource
        if namespace and resource == "metrics":
            namespace, resource, name, metric = "", "namespaces", namespace, name
            if address.subresource:
                raise generic_refusal(404)
        if not metric or address.rest or address.watch:
            raise generic_refusal(404)
        _check_get(request)
        labels, metric_labels = request.parameter("labelSelector"), request.parameter("metricLabelSelector")
        query = CustomMetricQuery(address.version, namespace, resource, name, metric, labels, metric_labels)
        return _answer(request, await apis.custom(query))

    @router.api_route("/apis/external.metrics.k8s.io/{version}/{rest:path}", methods=ANY_METHOD)
    async def external(request: ApiRequest) -> ASGIApp:
        address = parse_address(request.path)
        assert address is not None
        if address.version not in apis.versions().get(address.group, ()):
            return text_response(NOT_FOUND_TEXT, 404)
        if not address.namespace or not address.resource or address.name or address.watch:
            raise generic_refusal(404)
        _check_get(request)
        return _answer(request, apis.external(address.namespace, address.resource, request.parameter("labelSelector")))

    return router


def _check_get(request: ApiRequest) -> None:
    if request.method != "GET":
        raise generic_refusal(405)


def _answer(request: ApiRequest, document: Document) -> ASGIApp:
    representation = negotiate(request.accept, restrictions=NOT_TABULAR.without_messages())
    return document_response(document, representation.laid_out(request.pretty))


def api_resources(metrics: Sequence[MetricResource]) -> list[Document]:
    """Convert metrics to items of an APIResourceList."""
    return [
        {
            "name": metric.name,
            "singularName": "",
            "namespaced": metric.namespaced,
            "kind": metric.kind,
            "verbs": ["get"],
        }
        for metric in metrics
    ]


def discovered(metrics: Sequence[MetricResource]) -> list[Document]:
    """Convert metrics to items of aggregated discovery, in which custom metrics are subresources."""
    found: dict[str, Document] = {}
    for metric in metrics:
        kind = {"group": "", "version": "", "kind": metric.kind}
        parent, _, name = metric.name.partition("/")
        scope = "Namespaced" if metric.namespaced else "Cluster"
        if not name:
            found[parent] = {
                "resource": parent,
                "responseKind": kind,
                "scope": scope,
                "singularResource": "",
                "verbs": ["get"],
            }
            continue
        nothing = {"group": "", "version": "", "kind": ""}
        resource = found.setdefault(
            parent,
            {
                "resource": parent,
                "responseKind": nothing,
                "scope": scope,
                "singularResource": "",
                "verbs": [],
                "subresources": [],
            },
        )
        resource["subresources"].append({"subresource": name, "responseKind": kind, "verbs": ["get"]})
    return list(found.values())
