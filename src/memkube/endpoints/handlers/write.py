"""POST, PUT and PATCH: what is in the body, decoded for the store."""

from typing import Any

from starlette.types import ASGIApp

from memkube.apimachinery.decoding import ModelForm
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.validation.options import validate_patch_force
from memkube.apimachinery.query import flag, text
from memkube.endpoints.bodies import BodyDecoder, body_media_type, unknown_format
from memkube.endpoints.errors import generic_refusal
from memkube.endpoints.query import write_options
from memkube.endpoints.responses import document_response
from memkube.endpoints.scope import Scope
from memkube.registry.context import WriteContext
from memkube.registry.kinds import KindName
from memkube.registry.patching import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, Patch
from memkube.registry.resource import CreateSubresource, Resource

_PATCHES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH)

_CUSTOM_PATCHES = (JSON_PATCH, MERGE_PATCH, APPLY_PATCH)


async def create(scope: Scope) -> ASGIApp:
    """POST to a collection: stores the object in the body. Raises ApiError."""
    obj, context = await _posted(scope, _decoder(scope))
    return scope.object_response(await scope.store.create(obj, context), 201)


async def answer(scope: Scope) -> ASGIApp:
    """POST to a collection that keeps nothing. Raises ApiError."""
    obj, context = await _posted(scope, _decoder(scope))
    answered = await scope.store.answer(obj, context)
    return document_response(answered.document, scope.status_representation(), answered.code, scope.warnings)


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
    return document_response(created.document, scope.status_representation(), created.code, scope.warnings)


async def replace(scope: Scope) -> ASGIApp:
    """PUT: replaces an object with the one in the body. Raises ApiError."""
    body = await scope.request.body()
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
    body = await scope.request.body()
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
    body = await scope.request.body()
    manager, dry_run, validation = write_options(scope.request.query, "CreateOptions")
    obj, warnings = decoder.decode(body, media_type, validation)
    scope.warnings.extend(warnings)
    return obj, scope.write_context(manager, dry_run)


def _decoder(scope: Scope) -> BodyDecoder:
    resource = scope.resource
    expected = KindName(resource.group, resource.version, resource.kind)
    return BodyDecoder(expected, resource.form, scope.registry.catalog)
