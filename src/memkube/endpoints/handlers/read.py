"""GET of an object or of a collection."""

from starlette.types import ASGIApp

from memkube.apimachinery import fields
from memkube.apimachinery.errors import bad_request
from memkube.endpoints.handlers.watch import watch
from memkube.endpoints.list_query import check_list_query, parse_list_query, selection
from memkube.endpoints.query import flag, text
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
    query = parse_list_query(scope.request.query, watch=scope.address.watch)
    wanted = selection(query, scope.resource)
    if scope.address.name:
        wanted = _only(scope.address.name, wanted)
    check_list_query(query)
    if query.watch:
        return await watch(scope, query.watch_options(wanted))
    return scope.list_response(await scope.store.list(scope.address.namespace, query.list_options(wanted)))


def _only(name: str, wanted: Selection) -> Selection:
    """The selection cut down to one object, for the deprecated watch of one."""
    by_name = fields.parse(f"metadata.name={name}")
    if wanted.fields is None:
        return Selection(wanted.labels, by_name)
    if not any(
        r.field == "metadata.name" and r.value == name and r.operator == "=" for r in wanted.fields.requirements
    ):
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    return wanted
