"""Endpoints for objects and collections of all kinds: get, list, create, update, patch, apply and delete."""

from typing import Any

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import Details, bad_request, method_not_supported
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.validation.options import validate_patch_force
from memkube.apimachinery.protobuf import Messages
from memkube.apimachinery.query import flag, text
from memkube.apimachinery.shown_values import quoted
from memkube.endpoints.handlers.resource_request import ResourceRequest
from memkube.endpoints.handlers.watching import watch
from memkube.endpoints.requests.bodies import (
    BodyDecoder,
    body_media_type,
    full_api_version,
    read_object,
    unknown_format,
)
from memkube.endpoints.requests.negotiation import RouterRefusal, named_types
from memkube.endpoints.requests.query import (
    META_GROUP,
    check_delete_options,
    delete_options,
    parse_list_query,
    write_options,
)
from memkube.endpoints.responses.responses import generic_refusal, success
from memkube.endpoints.routers.api_route import ResourceRoute
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.declarations.resource import Resource
from memkube.registry.writes.patching import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, Patch

_PATCHES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH)

_CUSTOM_PATCHES = (JSON_PATCH, MERGE_PATCH, APPLY_PATCH)
_DELETE_OPTIONS = KindName(META_GROUP, "v1", "DeleteOptions")
_OTHER_OPTIONS = ("CreateOptions", "UpdateOptions")
_SCHEME = 'in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"'


router = APIRouter(route_class=ResourceRoute)


@router.get("/{resource}/{name}")
@router.get("/namespaces/{namespace}/{resource}/{name}")
async def get(request: ResourceRequest) -> ASGIApp:
    """Answer a GET of one object. Raises ApiError if the object does not exist or the request is invalid."""
    request.check_name()
    version = ""
    if request.scope["query_string"]:
        query = request.query
        if flag(query, "export"):
            raise bad_request("the export parameter, deprecated since v1.14, is no longer supported")
        version = text(query, "resourceVersion")
    store = request.reader(ListOptions(resource_version=version)) if request.registry.faults.present else request.store
    stored = await store.get(request.address.namespace, request.address.name, version)
    return request.object_response(stored)


@router.get("/{resource}", name="list")
@router.get("/namespaces/{namespace}/{resource}", name="list")
async def list_or_watch(request: ResourceRequest) -> ASGIApp:
    """Answer a GET of a collection with its objects or, for ``?watch=true``, with a watch.

    Raises ApiError if the request is invalid.
    """
    query, selection = parse_list_query(request.query, request.resource)
    if query.watch:
        if "watch" not in request.resource.verbs:
            raise method_not_supported(request.resource.group_resource, "watch")
        return await watch(request, query.watch_options(selection))
    options = query.list_options(selection)
    store = request.reader(options) if request.registry.faults.present else request.store
    return await request.list_response(await store.list(request.address.namespace, options))


@router.post("/{resource}")
@router.post("/namespaces/{namespace}/{resource}")
async def create(request: ResourceRequest) -> ASGIApp:
    """Answer a POST: create the object in the body.

    A review such as a TokenReview is answered but not stored. Raises ApiError if the request is rejected.
    """
    obj, context = await posted(request, _decoder(request))
    if not request.resource.keeps_objects:
        answered = await request.store.answer(obj, context)
        return request.answer_response(answered.document, answered.code, request.resource.schema)
    stored = await request.store.create(obj, context)
    record = request.record
    record.target = record.target.named(stored.name)
    return request.object_response(stored, 201)


@router.put("/{resource}/{name}")
@router.put("/namespaces/{namespace}/{resource}/{name}")
async def update(request: ResourceRequest) -> ASGIApp:
    """Answer a PUT: replace an object, or the part of it that a subresource updates.

    Raises ApiError if the request is rejected.
    """
    body = await request.body()
    manager, dry_run, validation = write_options(request.query, "UpdateOptions")
    media_type = body_media_type(request.header(b"content-type"))
    context = request.write_context(manager, dry_run)
    decoder = _decoder(request)

    def decode() -> ApiObject:
        obj: ApiObject
        obj, warnings = decoder.decode(body, media_type, validation)
        for warning in warnings:
            context.warn(warning)
        request.note_sent(obj)
        return obj

    stored, created = await request.store.replace(request.address.name, decode, context, request.subresource)
    return request.object_response(stored, 201 if created else 200)


def check_patch_type(content_type: str, resource: Resource) -> str:
    """Return the media type of a patch from the Content-Type header.

    Raises ApiError 415 if the kind does not support it. The router of built-in kinds (go-restful) accepts a list of
    media types of which the kind supports one, but the handler of patches does not.
    """
    is_custom = resource.structural is not None
    if not is_custom and not any(named in _PATCHES for named in named_types(content_type)):
        refusal = generic_refusal(415)
        raise RouterRefusal(refusal.code, refusal.reason, refusal.message, refusal.details)
    media_type, supported = content_type.partition(";")[0], _CUSTOM_PATCHES if is_custom else _PATCHES
    if media_type not in supported:
        raise unknown_format(supported)
    return media_type


@router.patch("/{resource}/{name}")
@router.patch("/namespaces/{namespace}/{resource}/{name}")
async def patch(request: ResourceRequest) -> ASGIApp:
    """Answer a PATCH: patch an object or, by server-side apply, apply the configuration in the body.

    Raises ApiError if the request is rejected.
    """
    media_type = check_patch_type(request.header(b"content-type"), request.resource)
    request.check_name()
    body = await request.body()
    query = request.query
    force = flag(query, "force")
    errors = validate_patch_force(media_type == APPLY_PATCH, text(query, "fieldManager"), force)
    manager, dry_run, validation = write_options(query, "PatchOptions", errors)
    context = request.write_context(manager, dry_run)
    request.note_patch(body)
    change, name, part = Patch(media_type, body, validation), request.address.name, request.subresource
    if media_type == APPLY_PATCH:
        stored, created = await request.store.apply(name, change, context, part, force=bool(force))
    else:
        stored, created = await request.store.patch(name, change, context, part)
    return request.object_response(stored, 201 if created else 200)


async def posted(request: ResourceRequest, decoder: BodyDecoder) -> tuple[Any, WriteContext]:
    """Decode the body of a POST with `decoder`. Return the object, and the context for writing it.

    Raises ApiError if the body is malformed.
    """
    media_type = body_media_type(request.header(b"content-type"))
    body = await request.body()
    manager, dry_run, validation = write_options(request.query, "CreateOptions")
    obj, warnings = decoder.decode(body, media_type, validation)
    request.warnings.extend(warnings)
    context = request.write_context(manager, dry_run)
    request.note_sent(obj)
    return obj, context


def _decoder(request: ResourceRequest) -> BodyDecoder:
    resource = request.resource
    return BodyDecoder(resource.kind_name, request.store.form, request.registry.catalog, fault=resource.refusals.body)


@router.delete("/{resource}/{name}")
@router.delete("/namespaces/{namespace}/{resource}/{name}")
async def delete(request: ResourceRequest) -> ASGIApp:
    """Answer a DELETE of one object. Raises ApiError if the request is rejected."""
    request.check_name()
    options = await _delete_options(request)
    context = request.write_context("", bool(options.dryRun))
    done = await request.store.delete(request.address.name, options, context)
    code = 202 if not done.gone and options.orphanDependents is False else 200
    resource = request.resource
    if resource.strategy.returns_deleted or not done.gone:
        return request.object_response(done.last, code)
    named = resource.group_resource
    details = Details(name=done.last.name, group=named.group, kind=named.resource, uid=done.last.uid)
    return request.status_response(success(details), code)


@router.delete("/{resource}", name="deletecollection")
@router.delete("/namespaces/{namespace}/{resource}", name="deletecollection")
async def delete_collection(request: ResourceRequest) -> ASGIApp:
    """Answer a DELETE of a collection: delete the selected objects, and return them as they were before.

    Raises ApiError if the request is rejected.
    """
    query, selection = parse_list_query(request.query, request.resource)
    options = await _delete_options(request)
    context = request.write_context("", bool(options.dryRun))
    objects = await request.store.delete_collection(query.list_options(selection), options, context)
    return await request.list_response(objects)


async def _delete_options(request: ResourceRequest) -> DeleteOptions:
    body = await request.body()
    if body:
        media_type = body_media_type(request.header(b"content-type"))
        options = _decoded_delete_options(body, media_type, request.registry.catalog.messages)
        request.note_sent(options)
    else:
        options = delete_options(request.query)
    # This option is ignored, because its feature gate AllowUnsafeMalformedObjectDeletion is off by default.
    options.ignoreStoreReadErrorWithClusterBreakingPotential = None
    check_delete_options(options)
    return options


def _decoded_delete_options(body: bytes, media_type: str, messages: Messages) -> DeleteOptions:
    try:
        encoded = read_object(body, media_type, messages)
        api_version = full_api_version(encoded.api_version, _DELETE_OPTIONS, body)
        _check_options_kind(api_version or _DELETE_OPTIONS.api_version, encoded.kind or _DELETE_OPTIONS.kind)
        return encoded.decode(ModelForm(DeleteOptions)).value
    except DecodeError as error:
        raise bad_request(error.message) from None


def _check_options_kind(api_version: str, kind: str) -> None:
    """Raise ApiError 400 if the body of a DELETE is not DeleteOptions of any version."""
    if kind == _DELETE_OPTIONS.kind:
        return
    if kind in _OTHER_OPTIONS:
        raise bad_request(f"converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion")
    raise bad_request(f"no kind {quoted(kind)} is registered for version {quoted(api_version)} {_SCHEME}")
