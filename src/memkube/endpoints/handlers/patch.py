"""PATCH of an object, by any of the four kinds of patch."""

from starlette.types import ASGIApp

from memkube.apimachinery.errors import conflict, not_found
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.validation.options import validate_patch_force
from memkube.apimachinery.query import flag, text
from memkube.endpoints.errors import generic_refusal
from memkube.endpoints.handlers.write import check_object_name
from memkube.endpoints.query import write_options
from memkube.endpoints.scope import Scope
from memkube.registry.applying import Applier
from memkube.registry.context import WriteContext
from memkube.registry.metadata import deduplicate_owners, fit_namespace
from memkube.registry.ownership import own_changes, writer_of
from memkube.registry.patching import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, Patch, Patcher
from memkube.registry.store import Build
from memkube.registry.stored import StoredObject

_TYPES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH)


def check_patch_type(content_type: str) -> str:
    """The media type of a patch. Raises ApiError 415."""
    media_type = content_type.split(";", maxsplit=1)[0].strip()
    if media_type not in _TYPES:
        raise generic_refusal(415)
    return media_type


async def patch(scope: Scope) -> ASGIApp:
    """Changes an object by the patch in the body. Raises ApiError."""
    media_type = check_patch_type(scope.request.header(b"content-type"))
    scope.check_name()
    body = await scope.request.body()
    query = scope.request.query
    force = flag(query, "force")
    manager, dry_run, validation = _options(scope, media_type, force)
    context = scope.write_context(manager, dry_run, body)
    change = Patch(media_type, body, validation)
    applying = media_type == APPLY_PATCH
    made = _applied(scope, change, context, force=bool(force)) if applying else _patched(scope, change, context)
    stored, created = await scope.store.update(
        scope.address.name, made, context, subresource=scope.subresource, upsert=applying and scope.subresource is None
    )
    return scope.object_response(stored, 201 if created else 200)


def _options(scope: Scope, media_type: str, force: bool | None) -> tuple[str, bool, str]:
    query = scope.request.query
    errors = validate_patch_force(media_type == APPLY_PATCH, text(query, "fieldManager"), force)
    return write_options(query, "PatchOptions", errors)


def _patched(scope: Scope, change: Patch, context: WriteContext) -> Build:
    resource = scope.resource
    patcher = Patcher(change, resource, context, scope.registry.catalog)
    writer = writer_of(resource, context, scope.registry.backend.clock, scope.subresource)

    async def build(current: StoredObject | None) -> ApiObject:
        if current is None:
            raise not_found(scope.address.group_resource, scope.address.name)
        new = patcher.apply(current)
        resource.strategy.default(new)
        own_changes(current, new, resource, writer)
        return _checked(scope, new, context)

    return build


def _applied(scope: Scope, change: Patch, context: WriteContext, *, force: bool) -> Build:
    resource = scope.resource
    writer = writer_of(resource, context, scope.registry.backend.clock, scope.subresource)
    applier = Applier(change, resource, context, writer, force=force)

    async def build(current: StoredObject | None) -> ApiObject:
        new = applier.apply(current)
        resource.strategy.default(new)
        if current is None and new.metadata.uid:
            why = (
                f"uid mismatch: the provided object specified uid {new.metadata.uid}, and no existing object was found"
            )
            raise conflict(scope.address.group_resource, scope.address.name, why)
        return _checked(scope, new, context)

    return build


def _checked(scope: Scope, new: ApiObject, context: WriteContext) -> ApiObject:
    fit_namespace(new.metadata, context.namespace if scope.resource.namespaced else "")
    check_object_name(new, scope.address.name)
    deduplicate_owners(new, context, after_admission=True)
    return new
