"""Routes of subresources: parts of objects, actions on objects, and connections to pods, services and nodes.

The declaration of a kind lists its subresources.
"""

from typing import Final

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.schema import struct_of
from memkube.endpoints.handlers.resource_request import ResourceRequest
from memkube.endpoints.requests.bodies import BodyDecoder
from memkube.endpoints.routers.api_route import ResourceRoute
from memkube.endpoints.routers.objects import get, patch, posted, update
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.resource import CreateSubresource

_EVERY_METHOD: Final = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
router = APIRouter(route_class=ResourceRoute)


async def connect(request: ResourceRequest) -> ASGIApp:
    """Connect the client to a pod, service or node. Raises ApiError if the connection is refused."""
    # Few servers in tests get requests for streams such as exec, so the module is imported for the first one.
    from memkube.endpoints.handlers.connect import connection_response  # noqa: PLC0415

    return await connection_response(request)


async def create_subresource(request: ResourceRequest) -> ASGIApp:
    """Answer a POST of a request object, such as a Binding, an Eviction or a TokenRequest, to a subresource.

    Raises ApiError if the request is rejected.
    """
    subresource, resource = request.subresource, request.resource
    assert isinstance(subresource, CreateSubresource)
    group, version = resource.group, resource.version
    if subresource.version:
        group, version = subresource.group, subresource.version
    expected = KindName(group, version, subresource.kind)
    form, catalog = ModelForm(subresource.model), request.registry.catalog
    obj, context = await posted(request, BodyDecoder(expected, form, catalog, subresource.accepted_versions))
    created = await request.store.post(subresource, request.address.name, obj, context)
    return request.answer_response(created.document, created.code, struct_of(subresource.model))


for item in ("/namespaces/{namespace}/{resource}/{name}", "/{resource}/{name}"):
    # Routes of the subresources log, exec, attach and portforward, which connect to containers and to ports of pods.
    router.get(f"{item}/log", name="connect")(connect)
    router.api_route(f"{item}/exec", methods=["GET", "POST"], name="connect")(connect)
    router.api_route(f"{item}/attach", methods=["GET", "POST"], name="connect")(connect)
    router.api_route(f"{item}/portforward", methods=["GET", "POST"], name="connect")(connect)
    # Routes of the subresource proxy, which connects to HTTP servers in pods, behind services and on nodes.
    router.api_route(f"{item}/proxy", methods=_EVERY_METHOD, name="connect")(connect)
    router.api_route(f"{item}/proxy/{{path:path}}", methods=_EVERY_METHOD, name="connect")(connect)
    # Routes of subresources that act on objects: binding, eviction and token.
    router.post(f"{item}/{{subresource}}", name="create")(create_subresource)
    # Routes of subresources that are parts of objects, such as status, scale, approval, ephemeralcontainers and resize.
    router.get(f"{item}/{{subresource}}", name="get")(get)
    router.put(f"{item}/{{subresource}}", name="update")(update)
    router.patch(f"{item}/{{subresource}}", name="patch")(patch)
