"""DELETE of an object or of the selected objects of a collection."""

from starlette.types import ASGIApp

from memkube.apimachinery.decoding import DecodeError, ModelForm
from memkube.apimachinery.errors import Details, bad_request
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.protobuf import Messages
from memkube.endpoints.bodies import body_media_type
from memkube.endpoints.encoded_objects import read_object
from memkube.endpoints.errors import success
from memkube.endpoints.list_query import parse_list_query
from memkube.endpoints.query import META_GROUP, check_delete_options, delete_options
from memkube.endpoints.responses import document_response
from memkube.endpoints.scope import Scope

_OTHER_OPTIONS = ("CreateOptions", "UpdateOptions")
_SCHEME = 'in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"'


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
    named = resource.group_resource
    details = Details(name=done.last.name, group=named.group, kind=named.resource, uid=done.last.uid)
    return document_response(success(details), scope.status_representation(), code, scope.warnings)


async def delete_collection(scope: Scope) -> ASGIApp:
    """Deletes the selected objects; answers them as they were before. Raises ApiError."""
    query, wanted = parse_list_query(scope.request.query, scope.resource)
    options = await _options(scope)
    context = scope.write_context("", bool(options.dryRun))
    objects = await scope.store.delete_collection(query.list_options(wanted), options, context)
    return await scope.list_response(objects)


async def _options(scope: Scope) -> DeleteOptions:
    body = await scope.request.body()
    if body:
        media_type = body_media_type(scope.request.header(b"content-type"))
        options = _decoded(body, media_type, scope.registry.catalog.messages)
    else:
        options = delete_options(scope.request.query)
    # What this option asks for stands behind a feature gate that is closed.
    options.ignoreStoreReadErrorWithClusterBreakingPotential = None
    check_delete_options(options)
    return options


def _decoded(body: bytes, media_type: str, messages: Messages) -> DeleteOptions:
    try:
        encoded = read_object(body, media_type, messages)
        _check_kind(encoded.api_version or f"{META_GROUP}/v1", encoded.kind or "DeleteOptions")
        return encoded.decode(ModelForm(DeleteOptions)).value
    except DecodeError as error:
        raise bad_request(error.message) from None


def _check_kind(api_version: str, kind: str) -> None:
    """Options of a deletion may be of any version. Raises ApiError 400 for another kind."""
    if kind == "DeleteOptions":
        return
    if kind in _OTHER_OPTIONS:
        raise bad_request(f"converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion")
    raise bad_request(f'no kind "{kind}" is registered for version "{api_version}" {_SCHEME}')
