"""Subresources that are no part of their object: POST to ``binding`` or ``eviction``."""

from starlette.types import ASGIApp

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.endpoints.bodies import BodyDecoder, body_media_type
from memkube.endpoints.query import write_options
from memkube.endpoints.responses import document_response
from memkube.endpoints.scope import Scope
from memkube.registry.admission import Attributes
from memkube.registry.catalog import KindName
from memkube.registry.connect import Creator
from memkube.registry.metadata import fit_namespace, wipe_system_fields
from memkube.registry.resource import Subresource


async def post(scope: Scope, subresource: Subresource, creator: Creator) -> ASGIApp:
    """Hands the object in the body to the subresource. Raises ApiError."""
    media_type = body_media_type(scope.request.header(b"content-type"))
    body = await scope.request.body()
    manager, dry_run, validation = write_options(scope.request.query, "CreateOptions")
    resource = scope.resource
    expected = KindName(
        subresource.group if subresource.version else resource.group,
        subresource.version or resource.version,
        subresource.kind,
    )
    decoder = BodyDecoder(expected, subresource.model, scope.registry.catalog, subresource.accepted_versions)
    obj, warnings = decoder.decode(body, media_type, validation)
    scope.warnings.extend(warnings)
    context = scope.write_context(manager, dry_run)
    name = scope.address.name
    if isinstance(obj, ApiObject):
        if not subresource.name:
            wipe_system_fields(obj.metadata)
            name = obj.metadata.name
        fit_namespace(obj.metadata, context.namespace)
    attributes = Attributes(resource, subresource.name, "CREATE", context.namespace, name, obj, None, context)
    await scope.registry.backend.admission.mutate(attributes)
    await scope.registry.backend.admission.validate(attributes)
    created = await creator(scope.registry, scope.address.name, obj, context)
    return document_response(created.document, scope.status_representation(), created.code, scope.warnings)
