"""POST and PUT of an object."""

from starlette.types import ASGIApp

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.endpoints.bodies import BodyDecoder, body_media_type
from memkube.endpoints.query import write_options
from memkube.endpoints.scope import Scope
from memkube.registry.catalog import KindName
from memkube.registry.metadata import deduplicate_owners, fit_namespace, wipe_system_fields
from memkube.registry.ownership import own_changes, writer_of
from memkube.registry.stored import StoredObject


async def create(scope: Scope) -> ASGIApp:
    """Stores the object in the body. Raises ApiError."""
    media_type = body_media_type(scope.request.header(b"content-type"))
    body = await scope.request.body()
    manager, dry_run, validation = write_options(scope.request.query, "CreateOptions")
    resource = scope.resource
    obj, warnings = _decoder(scope).decode(body, media_type, validation)
    scope.warnings.extend(warnings)
    context = scope.write_context(manager, dry_run, body)
    if resource.is_namespace and not context.namespace:
        context.namespace = obj.metadata.name
    wipe_system_fields(obj.metadata)
    fit_namespace(obj.metadata, context.namespace if resource.namespaced else "")
    deduplicate_owners(obj, context)
    resource.strategy.default(obj)
    own_changes(None, obj, resource, writer_of(resource, context, scope.registry.backend.clock))
    return scope.object_response(await scope.store.create(obj, context), 201)


async def replace(scope: Scope) -> ASGIApp:
    """Replaces an object with the one in the body. Raises ApiError."""
    body = await scope.request.body()
    manager, dry_run, validation = write_options(scope.request.query, "UpdateOptions")
    media_type = body_media_type(scope.request.header(b"content-type"))
    context = scope.write_context(manager, dry_run, body)
    resource = scope.resource

    def decoded() -> ApiObject:
        obj: ApiObject
        obj, warnings = _decoder(scope).decode(body, media_type, validation)
        for warning in warnings:
            context.warn(warning)
        fit_namespace(obj.metadata, context.namespace if resource.namespaced else "")
        check_object_name(obj, scope.address.name)
        deduplicate_owners(obj, context)
        resource.strategy.default(obj)
        return obj

    once = decoded()
    scope.check_name()
    first: ApiObject | None = once
    writer = writer_of(resource, context, scope.registry.backend.clock, scope.subresource)

    async def build(current: StoredObject | None) -> ApiObject:
        nonlocal first
        new, first = first or decoded(), None
        own_changes(current, new, resource, writer)
        return new

    stored, created = await scope.store.update(
        scope.address.name, build, context, subresource=scope.subresource, uid=once.metadata.uid or None
    )
    return scope.object_response(stored, 201 if created else 200)


def check_object_name(obj: ApiObject, name: str) -> None:
    """Raises ApiError 400 where the object is not the one that the address names."""
    if not obj.metadata.name:
        raise bad_request(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")
    if obj.metadata.name != name:
        raise bad_request(f"the name of the object ({obj.metadata.name}) does not match the name on the URL ({name})")


def _decoder(scope: Scope) -> BodyDecoder:
    resource = scope.resource
    expected = KindName(resource.group, resource.version, resource.kind)
    return BodyDecoder(expected, resource.model, scope.registry.catalog)
