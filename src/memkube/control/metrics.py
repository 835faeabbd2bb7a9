"""``/metrics``: sets, shows and removes the metric values that HorizontalPodAutoscalers read."""

from typing import Final

from fastapi import APIRouter, Response
from pydantic import BaseModel

from memkube.apimachinery.errors import ApiError, GroupResource, not_found, too_many_requests
from memkube.control.rules import RuleName
from memkube.control.server_parts import ServerParts
from memkube.controllers.framework.saved_values import METRIC_VALUES
from memkube.controllers.pod_autoscaler.metric_values import MOST_VALUES, MetricValue, metric_values
from memkube.registry.replicas.shared_state import SharedState

_METRICS: Final = GroupResource("", "metrics")


class NamedMetric(BaseModel):
    """A metric value that a client has set, and the name by which the client can replace or remove it."""

    name: str
    metric: MetricValue


class MetricList(BaseModel):
    """All values of custom and external metrics.

    If an autoscaler needs a single value, and several values in the list match, it gets the first of them.
    """

    items: list[NamedMetric]


def metrics_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show, set and remove values of metrics."""
    router = APIRouter(prefix="/metrics", tags=["metrics"])
    state = parts.registry.shared_state

    @router.get("", response_model_exclude_unset=True)
    async def show_all() -> MetricList:
        """Lists the values of custom and external metrics."""
        return MetricList(items=[NamedMetric(name=name, metric=value) for name, value in metric_values(state).items()])

    @router.get("/{name}", response_model_exclude_unset=True)
    async def show(name: RuleName) -> MetricValue:
        """Shows the metric value that was set under this name."""
        return _known(state, name)

    @router.put("/{name}", response_model_exclude_unset=True)
    async def put(name: RuleName, metric: MetricValue) -> MetricValue:
        """Sets the value of a metric under this name. Autoscalers see it at their next reconciliation."""
        await put_metric(state, name, metric)
        return metric

    @router.delete("/{name}", status_code=204)
    async def delete(name: RuleName) -> Response:
        """Removes the metric value that was set under this name."""
        await delete_metric(state, name)
        return Response(status_code=204)

    return router


async def put_metric(state: SharedState, name: str, metric: MetricValue) -> None:
    """Set the value of a metric under this name.

    The value is written to the server's storage, so it outlives the server if the storage is persistent. Raises
    ApiError 429 if the server has too many values.
    """
    known = state.items(METRIC_VALUES)
    if name not in known and len(known) >= MOST_VALUES:
        raise too_many_requests(f"the server has the maximum of {MOST_VALUES} metrics already", 0)
    await state.put(METRIC_VALUES, name, metric.saved())


async def delete_metric(state: SharedState, name: str) -> None:
    """Remove the metric value that was set under this name. Raises ApiError 404 if there is none."""
    _known(state, name)
    await state.delete(METRIC_VALUES, name)


def _known(state: SharedState, name: str) -> MetricValue:
    found = metric_values(state).get(name)
    if found is None:
        raise unknown_metric(name)
    return found


def unknown_metric(name: str) -> ApiError:
    """Return the ApiError 404 for a name under which no value of a metric was set."""
    return not_found(_METRICS, name)
