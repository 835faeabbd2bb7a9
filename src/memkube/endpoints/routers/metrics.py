"""``/metrics``: the metrics of the server, in the text format of Prometheus or as OpenMetrics."""

from functools import cache
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.endpoints.filters.seats import AllSeats
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.responses.responses import generic_refusal
from memkube.endpoints.routers.api_route import ANY_METHOD, ApiRoute
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures

if TYPE_CHECKING:
    from memkube.endpoints.routers.exposition import Exposition


def metrics_router(registry: Registry, measures: Measures, seats: AllSeats) -> APIRouter:
    """Return a router that serves the server's metrics, for any method except DELETE.

    They are read from the counters in `measures`, from `registry` (storage and admission), and from `seats` (concurrent
    requests).
    """
    router = APIRouter(route_class=ApiRoute)

    @cache
    def exposition() -> "Exposition":
        # Most servers in tests are never asked for metrics, so prometheus_client is imported with the first request.
        from memkube.endpoints.routers.exposition import Exposition  # noqa: PLC0415

        return Exposition(registry, measures, seats)

    @router.api_route("/metrics", methods=ANY_METHOD)
    async def metrics(request: ApiRequest) -> ASGIApp:
        _refuse_reset(request)
        return await exposition().response(request.accept)

    @router.api_route("/metrics/slis", methods=ANY_METHOD, name="metrics")
    async def health_metrics(request: ApiRequest) -> ASGIApp:
        _refuse_reset(request)
        return exposition().health_response(request.accept)

    return router


def _refuse_reset(request: ApiRequest) -> None:
    """Raise ApiError 405 for a DELETE. It resets the metrics of kube-apiserver, which this server does not support."""
    if request.method == "DELETE":
        raise generic_refusal(405)
