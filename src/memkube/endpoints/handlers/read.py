"""GET of an object or of a collection."""

from starlette.types import ASGIApp

from memkube.apimachinery import fields
from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.query import flag, text
from memkube.endpoints.handlers.watch import watch
from memkube.endpoints.list_query import parse_list_query
from memkube.endpoints.scope import Scope
from memkube.registry.options import Selection


async def get(scope: Scope) -> ASGIApp:
    """One object. Raises ApiError."""
    scope.check_name()
    version = ""
    if scope.request.scope["query_string"]:
        query = scope.request.query
        if flag(query, "export"):
            raise bad_request("the export parameter, deprecated since v1.14, is no longer supported")
        version = text(query, "resourceVersion")
    stored = await scope.store.get(scope.address.namespace, scope.address.name, version)
    return scope.object_response(stored)


async def list_or_watch(scope: Scope) -> ASGIApp:
    """A collection, or what happens to it. Raises ApiError."""
    query, wanted = parse_list_query(scope.request.query, scope.resource)
    if scope.address.name:
        wanted = _only(scope.address.name, wanted)
    if query.watch or scope.address.watch:
        return await watch(scope, query.watch_options(wanted))
    objects = await scope.store.list(scope.address.namespace, query.list_options(wanted))
    return await scope.list_response(objects)


def _only(name: str, wanted: Selection) -> Selection:
    """The selection cut down to one object, for the deprecated watch of one."""
    if wanted.fields is None or not wanted.fields.requirements:
        return Selection(wanted.labels, fields.equals("metadata.name", name))
    if wanted.fields.exact_value("metadata.name") != name:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    return wanted
