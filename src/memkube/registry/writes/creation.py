"""Stores new objects: generates names, runs validation and admission, and limits the size.

Source: apiserver ``registry/generic/registry/store.go`` (Create).
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from memkube.apimachinery.errors import ApiError, already_exists, generate_name_conflict, unclassified
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta
from memkube.apimachinery.names import path_segment_name
from memkube.registry.declarations.interface import Finish
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.objects.interned_specs import InternedSpec
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection
from memkube.registry.reads.revisions import is_revision
from memkube.registry.writes.metadata import deduplicate_owners, fit_namespace
from memkube.storage.errors import KeyExists, KeyNotFound
from memkube.time.clock import written_now

MOST_STORED_BYTES: Final = 3 * 512 * 1024
"""Maximum size of a stored object in bytes (etcd's ``--max-request-bytes`` in Kubernetes)."""
_NAME_ATTEMPTS: Final = 8
STAMPED_LATER: Final = "0"
"""Value of the resourceVersion until the storage assigns the revision and replaces it."""


class TooLarge(ApiError):
    """The 500 error for an object larger than MOST_STORED_BYTES."""

    def __init__(self) -> None:
        error = unclassified("etcdserver: request is too large")
        super().__init__(error.code, error.reason, error.message, error.details)


def check_size(stored: StoredObject) -> None:
    """Raise TooLarge if the object is larger than MOST_STORED_BYTES."""
    if len(stored.item_tail) > MOST_STORED_BYTES:
        raise TooLarge


async def create_object(
    collection: Collection,
    obj: ApiObject,
    context: WriteContext,
    authorize: Callable[[], Awaitable[None]] | None = None,
    strategy: Strategy[Any] | None = None,
) -> StoredObject:
    """Store a new object, which already has its defaults and managedFields.

    If the server generates the name and another object has this name, the server tries other names. `authorize` is
    called once the object is valid, and raises ApiError 403 if the user may not create it. If a PUT to a subresource
    creates the object, `strategy` is the strategy of this subresource; otherwise it is None, for the strategy of the
    kind. Raises ApiError if validation or admission rejects the object, or if its name is taken.
    """
    strategy = strategy or collection.resource.strategy
    backend = collection.backend
    await backend.admission.mutate(collection.attributes("CREATE", obj, None, context))
    deduplicate_owners(obj, context, after_admission=True)
    generated = bool(obj.metadata.generateName) and not obj.metadata.name
    attempts = _NAME_ATTEMPTS if generated else 1
    while True:
        attempts -= 1
        if generated:
            base, suffixes = obj.metadata.generateName, strategy.suffixes_names
            obj.metadata.name = backend.generated_name(base) if suffixes else base
            # kube-apiserver copies the object for each attempt. The labels are copied here, so that a later attempt
            # does not see label changes of an earlier one.
            obj.metadata.labels = dict(obj.metadata.labels)
        try:
            return await _attempt(collection, obj, context, authorize, strategy)
        except KeyExists as error:
            if attempts == 0:
                raise await _name_taken(collection, obj, error.key) from None


async def _attempt(
    collection: Collection,
    obj: ApiObject,
    context: WriteContext,
    authorize: Callable[[], Awaitable[None]] | None,
    strategy: Strategy[Any],
) -> StoredObject:
    """Try once to store `obj` as a new object, with the name that it has.

    Resources that the strategy reserves for the object, such as IP addresses, are released if the attempt fails.
    `authorize` raises ApiError 403 if the user may not create the object.
    """
    metadata = obj.metadata
    metadata.creationTimestamp = written_now(collection.backend.clock)
    metadata.uid = collection.backend.random_values.uid()
    fit_namespace(metadata, collection.namespace_of(context))
    finish = await strategy.begin_create(collection.stores, obj, context)
    return await finished(finish, _validated(collection, obj, context, authorize))


async def finished(finish: Finish | None, write: Awaitable[StoredObject]) -> StoredObject:
    """Await a write, and then call `finish` with True; if the write raises an exception, call it with False."""
    if finish is None:
        return await write
    try:
        stored = await write
    except BaseException:
        await finish(False)
        raise
    await finish(True)
    return stored


async def _validated(
    collection: Collection, obj: ApiObject, context: WriteContext, authorize: Callable[[], Awaitable[None]] | None
) -> StoredObject:
    resource, metadata = collection.resource, obj.metadata
    strategy = resource.strategy
    assert metadata.creationTimestamp is not None
    for warning in strategy.prepare_for_create(obj, metadata.creationTimestamp):
        context.warn(warning)
    spec = collection.interned_spec(obj)
    errors = await strategy.find_errors(obj, context)
    if not errors and not strategy.validates_metadata:
        errors = validate_object_meta(metadata, path_segment_name, namespaced=resource.namespaced)
    if errors:
        raise collection.invalid_object(obj, errors)
    for warning in strategy.warnings_on_create(obj):
        context.warn(warning)
    strategy.canonicalize(obj)
    if authorize is not None:
        await authorize()
    await collection.backend.admission.validate(collection.attributes("CREATE", obj, None, context))
    strategy.take_stored_form(obj)
    return await _stored(collection, obj, context, spec)


async def _stored(
    collection: Collection, obj: ApiObject, context: WriteContext, spec: InternedSpec | None
) -> StoredObject:
    storage, metadata, strategy = collection.backend.storage, obj.metadata, collection.resource.strategy
    key = collection.key(metadata.namespace, metadata.name)
    filled = strategy.fill_as_read(obj)
    if context.dry_run:
        try:
            await storage.get(key)
        except KeyNotFound:
            return await collection.backend.as_written(
                StoredObject(obj.to_document_around("spec", None if spec is None else spec.document))
            )
        raise KeyExists(key)
    if metadata.resourceVersion and is_revision(metadata.resourceVersion):
        raise unclassified("resourceVersion should not be set on objects to be created")
    metadata.selfLink = ""
    metadata.resourceVersion = STAMPED_LATER
    stored = StoredObject(obj.to_document_around("spec", None if spec is None else spec.document))
    stored.unsettled = filled or strategy.settles_later
    check_size(stored)
    collection.check_begun(metadata.name, context)
    return await storage.create(key, stored)


async def _name_taken(collection: Collection, obj: ApiObject, key: str) -> ApiError:
    name = obj.metadata.name
    refuse = generate_name_conflict if obj.metadata.generateName else already_exists
    error = refuse(collection.resource.group_resource, name)
    try:
        existing = await collection.backend.storage.get(key)
    except KeyNotFound:
        return error
    if existing.document["metadata"].get("deletionTimestamp"):
        error.message = f"object is being deleted: {error.message}"
    return error
