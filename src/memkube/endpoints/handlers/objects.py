"""Objects and collections: GET, POST, PUT, PATCH and DELETE, decoded for the store and answered from it."""

from typing import Any

from starlette.types import ASGIApp

from memkube.apimachinery import fields
from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import Details, bad_request, method_not_supported
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.validation.options import validate_patch_force
from memkube.apimachinery.protobuf import Messages
from memkube.apimachinery.query import flag, text
from memkube.apimachinery.schema import struct_of
from memkube.endpoints.handlers.scope import Scope
from memkube.endpoints.handlers.watch import watch
from memkube.endpoints.requests.bodies import BodyDecoder, body_media_type, read_object, unknown_format
from memkube.endpoints.requests.query import (
    META_GROUP,
    check_delete_options,
    delete_options,
    parse_list_query,
    write_options,
)
from memkube.endpoints.responses.responses import document_response, generic_refusal, success
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import ListOptions, Selection, WriteContext
from memkube.registry.declarations.resource import CreateSubresource, Resource
from memkube.registry.writes.patching import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, Patch

_PATCHES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH)

_CUSTOM_PATCHES = (JSON_PATCH, MERGE_PATCH, APPLY_PATCH)
_OTHER_OPTIONS = ("CreateOptions", "UpdateOptions")
_SCHEME = 'in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"'


async def get(scope: Scope) -> ASGIApp:
    """One object. Raises ApiError."""
    scope.check_name()
    version = ""
    if scope.request.scope["query_string"]:
        query = scope.request.query
        if flag(query, "export"):
            raise bad_request("the export parameter, deprecated since v1.14, is no longer supported")
        version = text(query, "resourceVersion")
    store = scope.reader(ListOptions(resource_version=version)) if scope.registry.faults.present else scope.store
    stored = await store.get(scope.address.namespace, scope.address.name, version)
    return scope.object_response(stored)


async def list_or_watch(scope: Scope) -> ASGIApp:
    """A collection, or what happens to it. Raises ApiError."""
    query, wanted = parse_list_query(scope.request.query, scope.resource)
    if scope.address.name:
        wanted = _only_named(scope.address.name, wanted)
    if query.watch or scope.address.watch:
        if "watch" not in scope.resource.verbs:
            raise method_not_supported(scope.resource.group_resource, "watch")
        return await watch(scope, query.watch_options(wanted))
    options = query.list_options(wanted)
    store = scope.reader(options) if scope.registry.faults.present else scope.store
    return await scope.list_response(await store.list(scope.address.namespace, options))


def _only_named(name: str, wanted: Selection) -> Selection:
    """The selection cut down to one object, for the deprecated watch of one."""
    if wanted.fields is None or not wanted.fields.requirements:
        return Selection(wanted.labels, fields.equals("metadata.name", name))
    if wanted.fields.exact_value("metadata.name") != name:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    return wanted


async def create(scope: Scope) -> ASGIApp:
    """POST to a collection: stores the object in the body. Raises ApiError."""
    obj, context = await _posted(scope, _decoder(scope))
    stored = await scope.store.create(obj, context)
    record = scope.request.record
    record.target = record.target.named(stored.name)
    return scope.object_response(stored, 201)


async def answer(scope: Scope) -> ASGIApp:
    """POST to a collection that keeps nothing. Raises ApiError."""
    obj, context = await _posted(scope, _decoder(scope))
    answered = await scope.store.answer(obj, context)
    return scope.answer_response(answered.document, answered.code, scope.resource.schema)


async def post(scope: Scope) -> ASGIApp:
    """POST to a subresource that is no part of its object (``binding``, ``eviction``). Raises ApiError."""
    part = scope.subresource
    assert isinstance(part, CreateSubresource)
    resource = scope.resource
    group, version = (part.group, part.version) if part.version else (resource.group, resource.version)
    expected = KindName(group, version, part.kind)
    decoder = BodyDecoder(expected, ModelForm(part.model), scope.registry.catalog, part.accepted_versions)
    obj, context = await _posted(scope, decoder)
    created = await scope.store.post(part, scope.address.name, obj, context)
    return scope.answer_response(created.document, created.code, struct_of(part.model))


async def replace(scope: Scope) -> ASGIApp:
    """PUT: replaces an object with the one in the body. Raises ApiError."""
    body = await scope.body()
    manager, dry_run, validation = write_options(scope.request.query, "UpdateOptions")
    media_type = body_media_type(scope.request.header(b"content-type"))
    context = scope.write_context(manager, dry_run)
    decoder = _decoder(scope)

    def decode() -> ApiObject:
        obj: ApiObject
        obj, warnings = decoder.decode(body, media_type, validation)
        for warning in warnings:
            context.warn(warning)
        return obj

    stored, created = await scope.store.replace(scope.address.name, decode, context, scope.subresource)
    return scope.object_response(stored, 201 if created else 200)


def check_patch_type(content_type: str, resource: Resource) -> str:
    """The media type of a patch. Raises ApiError 415, in other words for custom kinds."""
    media_type = content_type.split(";", maxsplit=1)[0].strip()
    if resource.structural is not None and media_type not in _CUSTOM_PATCHES:
        raise unknown_format(_CUSTOM_PATCHES)
    if media_type not in _PATCHES:
        raise generic_refusal(415)
    return media_type


async def patch(scope: Scope) -> ASGIApp:
    """PATCH: changes an object by the patch in the body. Raises ApiError."""
    media_type = check_patch_type(scope.request.header(b"content-type"), scope.resource)
    scope.check_name()
    body = await scope.body()
    query = scope.request.query
    force = flag(query, "force")
    errors = validate_patch_force(media_type == APPLY_PATCH, text(query, "fieldManager"), force)
    manager, dry_run, validation = write_options(query, "PatchOptions", errors)
    context = scope.write_context(manager, dry_run)
    change, name, part = Patch(media_type, body, validation), scope.address.name, scope.subresource
    if media_type == APPLY_PATCH:
        stored, created = await scope.store.apply(name, change, context, part, force=bool(force))
    else:
        stored, created = await scope.store.patch(name, change, context, part)
    return scope.object_response(stored, 201 if created else 200)


async def _posted(scope: Scope, decoder: BodyDecoder) -> tuple[Any, WriteContext]:
    """The object in the body, and the circumstances of its creation. Raises ApiError."""
    media_type = body_media_type(scope.request.header(b"content-type"))
    body = await scope.body()
    manager, dry_run, validation = write_options(scope.request.query, "CreateOptions")
    obj, warnings = decoder.decode(body, media_type, validation)
    scope.warnings.extend(warnings)
    return obj, scope.write_context(manager, dry_run)


def _decoder(scope: Scope) -> BodyDecoder:
    resource = scope.resource
    expected = KindName(resource.group, resource.version, resource.kind)
    return BodyDecoder(expected, scope.store.form, scope.registry.catalog, fault=resource.refusals.body)


async def delete(scope: Scope) -> ASGIApp:
    """Deletes an object. Raises ApiError."""
    scope.check_name()
    options = await _delete_options(scope)
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
    options = await _delete_options(scope)
    context = scope.write_context("", bool(options.dryRun))
    objects = await scope.store.delete_collection(query.list_options(wanted), options, context)
    return await scope.list_response(objects)


async def _delete_options(scope: Scope) -> DeleteOptions:
    body = await scope.body()
    if body:
        media_type = body_media_type(scope.request.header(b"content-type"))
        options = _decoded_delete_options(body, media_type, scope.registry.catalog.messages)
    else:
        options = delete_options(scope.request.query)
    # What this option asks for stands behind a feature gate that is closed.
    options.ignoreStoreReadErrorWithClusterBreakingPotential = None
    check_delete_options(options)
    return options


def _decoded_delete_options(body: bytes, media_type: str, messages: Messages) -> DeleteOptions:
    try:
        encoded = read_object(body, media_type, messages)
        _check_options_kind(encoded.api_version or f"{META_GROUP}/v1", encoded.kind or "DeleteOptions")
        return encoded.decode(ModelForm(DeleteOptions)).value
    except DecodeError as error:
        raise bad_request(error.message) from None


def _check_options_kind(api_version: str, kind: str) -> None:
    """Options of a deletion may be of any version. Raises ApiError 400 for another kind."""
    if kind == "DeleteOptions":
        return
    if kind in _OTHER_OPTIONS:
        raise bad_request(f"converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion")
    raise bad_request(f'no kind "{kind}" is registered for version "{api_version}" {_SCHEME}')
