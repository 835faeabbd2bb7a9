"""The control API as a FastAPI application, with an OpenAPI document of its own."""

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.routing import Route

from memkube.control import PREFIX
from memkube.control.audit import audit_router
from memkube.control.clock import clock_router
from memkube.control.faults import faults_router
from memkube.control.history import history_router
from memkube.control.metrics import metrics_router
from memkube.control.nodes import nodes_router, pools_router
from memkube.control.objects import objects_router
from memkube.control.refusals import STATUS_RESPONSE, RenderStatus, answer_with_status
from memkube.control.requests import requests_router
from memkube.control.rules import rules_router
from memkube.control.scenarios import scenarios_router
from memkube.control.scheduling import scheduling_router
from memkube.control.server_parts import ServerParts
from memkube.control.services import services_router
from memkube.control.snapshots import snapshots_router


def create_control_application(parts: ServerParts, render: RenderStatus, version: str) -> FastAPI:
    """Return the application that serves the control API of one server.

    `parts` are the components of this server on which the API acts, such as its clock and its request log. `render`
    takes an ApiError and returns the Status with which it is answered. `version` is the version of memkube in the
    OpenAPI document.
    """
    registry = parts.registry
    routers = (
        clock_router(parts),
        requests_router(parts),
        audit_router(parts),
        history_router(parts),
        faults_router(registry),
        nodes_router(parts),
        pools_router(parts),
        scheduling_router(parts),
        rules_router(parts),
        metrics_router(parts),
        services_router(parts),
        objects_router(registry),
        snapshots_router(parts),
        scenarios_router(parts),
    )
    application = FastAPIOffline(
        title="memkube control API",
        version=version,
        description=(
            "Advances the clock, injects faults, adds, removes and fails nodes, explains scheduling, defines what "
            "simulated containers do, sets metrics, redirects calls of Services to other servers, saves and restores "
            "the state of the server, and plays scenarios."
        ),
        redoc_url=None,
        servers=[{"url": PREFIX}],
        responses={"default": STATUS_RESPONSE},
        # Read a body without a media type as JSON, as the Kubernetes API does: kubectl create --raw sends no media
        # type.
        strict_content_type=False,
    )
    own = [route for route in application.routes if isinstance(route, Route)]
    for router in routers:
        application.include_router(router)
    included = [route for router in routers for route in router.routes if isinstance(route, Route)]
    application.state.endpoints = [route.endpoint for route in (*own, *included)]
    answer_with_status(application, render)
    return application
