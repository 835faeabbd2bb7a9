"""DELETE of an object or of the selected objects of a collection."""

from starlette.types import ASGIApp

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import Details, bad_request
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.protobuf import Messages
from memkube.endpoints.bodies import body_media_type
from memkube.endpoints.encoded_objects import read_object
from memkube.endpoints.errors import success
from memkube.endpoints.list_query import check_list_query, parse_list_query, selection
from memkube.endpoints.query import check_delete_options, delete_options
from memkube.endpoints.responses import document_response
from memkube.endpoints.scope import Scope


async def delete(scope: Scope) -> ASGIApp:
    """Deletes an object. Raises ApiError."""
    scope.check_name()
    options = await _options(scope)
    context = scope.write_context("", bool(options.dryRun))
    done = await scope.store.delete(scope.address.name, options, context)
    code = 202 if not done.gone and options.orphanDependents is False else 200
    resource = scope.resource
    if resource.strategy.returns_deleted or not done.gone:
        return scope.object_response(done.last, code)
    details = Details(name=done.last.name, group=resource.group, kind=resource.plural, uid=done.last.uid)
    return document_response(success(details), scope.status_representation(), code, scope.warnings)


async def delete_collection(scope: Scope) -> ASGIApp:
    """Deletes the selected objects; answers them as they were before. Raises ApiError."""
    query = parse_list_query(scope.request.query)
    check_list_query(query)
    wanted = selection(query, scope.resource)
    options = await _options(scope)
    context = scope.write_context("", bool(options.dryRun))
    objects = await scope.store.delete_collection(query.list_options(wanted), options, context)
    return scope.list_response(objects)


async def _options(scope: Scope) -> DeleteOptions:
    body = await scope.request.body()
    if body:
        media_type = body_media_type(scope.request.header(b"content-type"))
        options = _decoded(body, media_type, scope.registry.catalog.messages)
    else:
        options = delete_options(scope.request.query)
    check_delete_options(options)
    return options


def _decoded(body: bytes, media_type: str, messages: Messages) -> DeleteOptions:
    try:
        encoded = read_object(body, media_type, messages)
        if encoded.kind not in ("", "DeleteOptions"):
            raise bad_request("decoded object cannot be converted to DeleteOptions")
        return encoded.decode(DeleteOptions).value
    except DecodeError as error:
        raise bad_request(error.message) from None
