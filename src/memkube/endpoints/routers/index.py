"""``/``: an index of the paths of the server."""

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.endpoints.requests.api_request import HEALTH, ApiRequest
from memkube.endpoints.requests.negotiation import FOR_PEOPLE
from memkube.endpoints.responses.responses import document_response
from memkube.endpoints.routers.api_route import ANY_METHOD, ApiRoute
from memkube.endpoints.routers.health import Checks
from memkube.endpoints.routers.openid import CONFIGURATION, JWKS
from memkube.registry.declarations.catalog import Catalog


def index_router(catalog: Catalog, checks: Checks) -> APIRouter:
    """Return a router that serves ``/``: a list of the server's paths.

    They include the paths of the groups in `catalog`, and of the health checks. The router accepts any method.
    """
    router = APIRouter(route_class=ApiRoute)

    @router.api_route("/", methods=ANY_METHOD)
    @router.api_route("/index.html", methods=ANY_METHOD)
    async def index(request: ApiRequest) -> ASGIApp:
        paths = [CONFIGURATION, "/api", "/apis", "/apis/", "/metrics", "/openapi/v2", "/openapi/v3", JWKS, "/version"]
        paths += ["/metrics/slis", "/openapi/v3/"]
        for name in HEALTH:
            paths += [f"/{name}", *(f"/{name}/{check}" for check in checks.of(name))]
        for group, versions in catalog.registered_groups().items():
            root = f"/apis/{group}" if group else "/api"
            paths += [root, *(f"{root}/{version}" for version in versions)]
        return document_response({"paths": sorted(set(paths))}, FOR_PEOPLE)

    return router
