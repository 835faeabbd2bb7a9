"""Routes of the deprecated ``/watch/`` paths.

Current clients use ``?watch=true`` instead: see ``objects.list_or_watch``.
"""

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.apimachinery import fields
from memkube.apimachinery.errors import bad_request
from memkube.endpoints.handlers.resource_request import ResourceRequest
from memkube.endpoints.handlers.watching import watch
from memkube.endpoints.requests.query import parse_list_query
from memkube.endpoints.routers.api_route import ResourceRoute
from memkube.registry.declarations.request_options import Selection

router = APIRouter(route_class=ResourceRoute)


@router.get("/watch/{resource}", name="watch")
@router.get("/watch/namespaces/{namespace}/{resource}", name="watch")
async def watch_collection(request: ResourceRequest) -> ASGIApp:
    """Answer a ``/watch/`` path of a collection with a watch. Raises ApiError if the request is invalid."""
    query, selection = parse_list_query(request.query, request.resource)
    return await watch(request, query.watch_options(selection))


@router.get("/watch/{resource}/{name}", name="watch")
@router.get("/watch/namespaces/{namespace}/{resource}/{name}", name="watch")
async def watch_object(request: ResourceRequest) -> ASGIApp:
    """Answer a ``/watch/`` path of one object with a watch. Raises ApiError if the request is invalid."""
    query, selection = parse_list_query(request.query, request.resource)
    return await watch(request, query.watch_options(_named(request.address.name, selection)))


def _named(name: str, selection: Selection) -> Selection:
    """Add the name in the path to the selection of a watch.

    Raises ApiError 400 if the field selector requires another name.
    """
    if selection.fields is None or not selection.fields.requirements:
        return Selection(selection.labels, fields.equals("metadata.name", name))
    if selection.fields.exact_value("metadata.name") != name:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    return selection
