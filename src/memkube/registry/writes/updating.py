"""Updates of objects by PUT, by a patch, or by code in this process.

Source: apiserver ``registry/generic/registry/store.go`` (Update).
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeAlias

from memkube.apimachinery.errors import conflict, invalid, not_found
from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.managed_fields import keep_timestamps
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta, validate_object_meta_update
from memkube.apimachinery.names import path_segment_name
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.authorization import Attributes as AuthorizationAttributes
from memkube.registry.declarations.authorization import forbidden_request
from memkube.registry.declarations.interface import Change, Finish
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Subresource, ViewSubresource
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection
from memkube.registry.reads.revisions import revision_of
from memkube.registry.writes import deletion
from memkube.registry.writes.creation import check_size, create_object
from memkube.registry.writes.defaulting import default_received
from memkube.registry.writes.metadata import (
    check_object_name,
    deduplicate_owners,
    fit_namespace,
    own_changes,
    writer_of,
)
from memkube.registry.writes.viewing import ViewedObjects
from memkube.storage.errors import KeyNotFound

Build: TypeAlias = Callable[[StoredObject | None], Awaitable[ApiObject]]
"""Function that returns the object to store, given the stored object, or None if no object exists.

After a write conflict, it is called again with the newest revision.
"""

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


class UpdateOptions(NamedTuple):
    """Options of an update: subresource, precondition, and which steps to skip."""

    subresource: Subresource | None = None
    """Subresource of the request, which may have a strategy of its own."""
    upsert: bool = False
    """True if the update creates the object if it does not exist."""
    uid: str | None = None
    """The update fails unless this is the uid of the stored object; None for any uid."""
    tracked: bool = True
    """True if managedFields are stored; False to store the object without them."""
    direct: bool = False
    """True if the update bypasses strategy and admission, as kube-apiserver's ``storage.GuaranteedUpdate`` does."""


class Update:
    """One update of an object. After a write conflict, it is repeated with the newest revision."""

    def __init__(
        self, collection: Collection, name: str, build: Build, context: WriteContext, options: UpdateOptions
    ) -> None:
        self._collection = collection
        self._resource = collection.resource
        self._name = name
        self._build = build
        self._context = context
        self._options = options
        self._strategy: Strategy[Any] = self._resource.strategy_of(options.subresource)
        self._part = options.subresource.name if options.subresource else ""
        view = options.subresource if isinstance(options.subresource, ViewSubresource) else None
        self._view = None if view is None else ViewedObjects(collection, view)
        self._key = collection.key(context.namespace, name)
        # Some updates, such as those of the status, reset the spec. For a built-in kind, kube-apiserver resets it in
        # the internal version, so the stored spec stays as it is. For a custom kind, it resets the spec in the served
        # version: the conversion back to the stored version may then change the stored spec.
        self._keeps_spec = self._resource.structural is None and ("spec",) in self._strategy.reset_fields
        self._finish: Finish | None = None
        self._unwritten: StoredObject | None = None

    async def run(self) -> tuple[StoredObject, bool]:
        """Run the update. Return the new revision, and True if the update created the object.

        Raises ApiError 404 if the object does not exist, 409 for an outdated resourceVersion, and other errors if
        validation or admission rejects the update.
        """
        self._collection.check_begun(self._name, self._context)
        try:
            stored = await self._collection.backend.update(self._key, self._change, keeps_spec=self._keeps_spec)
        except KeyNotFound:
            await self._end(succeeded=False)
            if not (self._options.upsert or self._strategy.allow_create_on_update):
                raise not_found(self._resource.group_resource, self._name) from None
        except BaseException:
            await self._end(succeeded=False)
            raise
        else:
            await self._end(succeeded=True)
            if self._unwritten is None:
                return stored, False
            if not self._context.dry_run:
                await self._remove_emptied()
            return self._unwritten, False
        return await self._create(), True

    async def _change(self, current: StoredObject) -> StoredObject | None:
        """Make the next revision of the object from the stored revision `current`, in one attempt.

        In two cases, nothing has to be stored: in a dry run, and if the update removes the last finalizer of a
        terminating object, which is then deleted. In these cases, return None, and set `_unwritten` to the result of
        the update.
        """
        await self._end(succeeded=False)
        self._unwritten = None
        if self._options.direct:
            built = await self._build(current)
            changed, emptied = StoredObject(self._collection.with_shared_spec(built.to_document())), False
        else:
            new, old = await self._made_from(current)
            self._finish = await self._strategy.begin_update(self._collection.stores, new, old, self._context)
            changed = await self._accepted(new, old, current)
            emptied = deletion.removed_by_update(new, old) and self._strategy.removes_emptied(new)
        if emptied:
            self._unwritten = changed
            return None
        if self._context.dry_run:
            self._unwritten = await self._collection.backend.as_written(changed)
            return None
        check_size(changed)
        return changed

    async def _end(self, *, succeeded: bool) -> None:
        """Tell the strategy whether the latest attempt to write the object `succeeded`.

        If not, the strategy releases what its ``begin_update`` reserved for that attempt, such as IP addresses.
        """
        finish, self._finish = self._finish, None
        if finish is not None:
            await finish(succeeded)

    async def _made_from(self, current: StoredObject) -> tuple[ApiObject, ApiObject]:
        """Return the changed and the current object, after mutating admission and the check of the resourceVersion."""
        collection, context, view = self._collection, self._context, self._view
        collection.check_uid(current, self._options.uid, dry_run=context.dry_run)
        shown = current if view is None else view.shown(current)
        new = await self._build(shown)
        old = collection.seen(current) if view is None else view.instance(shown)
        await collection.backend.admission.mutate(self._attributes(new, old))
        deduplicate_owners(new, context, after_admission=True)
        if view is not None:
            new, old = view.put_back(new, current), collection.seen(current)
        if not self._options.tracked:
            new.metadata.managedFields = None
        await self._strategy.authorize_update(collection.stores, new, old, context)
        self._check_version(new, old)
        return new, old

    async def _accepted(self, new: ApiObject, old: ApiObject, current: StoredObject) -> StoredObject:
        """Validate the update of the object `old` to `new`, and run validating admission for it.

        `current` is the stored revision of the object; `old` is decoded from it. Returns the revision to store, or
        `current` itself if nothing changes. Raises ApiError if the update is rejected.
        """
        collection, context, strategy = self._collection, self._context, self._strategy
        self._keep_system_fields(new, old)
        spec = collection.interned_spec(new)
        errors = [] if strategy.validates_changed_metadata else self._metadata_errors(new, old)
        errors += await strategy.find_update_errors(new, old, context)
        if errors and strategy.validates_changed_metadata:
            errors = self._metadata_errors(new, old) + errors
        if errors:
            raise collection.invalid_object(new, errors)
        for warning in strategy.warnings_on_update(new, old):
            context.warn(warning)
        strategy.canonicalize(new)
        view = self._view
        seen = (new, old) if view is None else (view.shown_to_admission(new), view.shown_to_admission(old))
        await collection.backend.admission.validate(self._attributes(*seen))
        strategy.take_stored_form(new)
        new.metadata.resourceVersion = old.metadata.resourceVersion
        if not context.dry_run:
            new.metadata.selfLink = ""
        filled = strategy.fill_as_read(new)
        document = keep_timestamps(
            current.document, new.to_document_around("spec", None if spec is None else spec.document)
        )
        if document == current.document and not current.unsettled and not filled:
            return current
        changed = StoredObject(document)
        changed.unsettled = filled
        return changed

    def _metadata_errors(self, new: ApiObject, old: ApiObject) -> list[FieldError]:
        errors = validate_object_meta(new.metadata, path_segment_name, namespaced=self._resource.namespaced)
        return errors + validate_object_meta_update(new.metadata, old.metadata)

    def _attributes(self, new: ApiObject, old: ApiObject) -> Attributes:
        """Return the attributes of the update, as admission plugins get them.

        For a subresource such as ``scale``, `new` and `old` are objects of the subresource's kind.
        """
        attributes = self._collection.attributes("UPDATE", new, old, self._context, self._part)
        if self._view is not None:
            attributes.shown = self._view.kind
        return attributes

    def _check_version(self, new: ApiObject, old: ApiObject) -> None:
        """Raise ApiError 409 if the resourceVersion of `new` is outdated.

        Raises ApiError 422 if it is missing and the kind requires one, and 500 if it is malformed.
        """
        revision = revision_of(new.metadata.resourceVersion)
        resource, name = self._resource, old.metadata.name
        if revision == 0:
            if self._strategy.allow_unconditional_update:
                new.metadata.resourceVersion = old.metadata.resourceVersion
                return
            path = FieldPath("metadata").child("resourceVersion")
            must = FieldError("FieldValueInvalid", str(path), 0, "must be specified for an update")
            raise invalid(resource.group, resource.plural, name, [must])
        if revision != revision_of(old.metadata.resourceVersion):
            raise conflict(resource.group_resource, name, MODIFIED)

    def _keep_system_fields(self, new: ApiObject, old: ApiObject) -> None:
        """Call the strategy's prepare_for_update, and reset the metadata fields that no update can change."""
        metadata, before = new.metadata, old.metadata
        fit_namespace(metadata, self._collection.namespace_of(self._context))
        metadata.generation = before.generation
        self._strategy.prepare_for_update(new, old)
        metadata.uid = metadata.uid or before.uid
        if before.creationTimestamp is not None:
            metadata.creationTimestamp = before.creationTimestamp
        if before.deletionTimestamp is not None:
            metadata.deletionTimestamp = before.deletionTimestamp
        if before.deletionGracePeriodSeconds is not None and metadata.deletionGracePeriodSeconds is None:
            metadata.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds

    async def _remove_emptied(self) -> None:
        """Remove a terminating object from storage after an update has removed its last finalizer."""

        async def check(current: StoredObject) -> None:
            self._collection.check_uid(current, self._options.uid)

        await deletion.remove(self._collection, self._key, check, self._context)

    async def _create(self) -> StoredObject:
        """Create the object, because the update found no object with this name."""
        absent = StoredObject({"metadata": {"namespace": self._context.namespace, "name": self._name}})
        self._collection.check_uid(absent, self._options.uid, dry_run=self._context.dry_run)
        obj = await self._build(None)
        if not self._options.tracked:
            obj.metadata.managedFields = None
        revision_of(obj.metadata.resourceVersion)
        if not self._context.dry_run:
            obj.metadata.resourceVersion = ""
        return await create_object(self._collection, obj, self._context, self._authorize_creation, self._strategy)

    async def _authorize_creation(self) -> None:
        """Raise ApiError 403 if the user may not create the object that an update did not find."""
        resource, context = self._resource, self._context
        attributes = AuthorizationAttributes(
            context.user,
            "create",
            context.namespace,
            resource.group,
            resource.version,
            resource.plural,
            self._part,
            self._name,
        )
        context.rights.append(attributes.right)
        decision = await self._collection.stores.kind_services.authorizer.decide(attributes)
        if not decision.allowed:
            raise forbidden_request(attributes, decision.reason)


class Replaced:
    """Function that returns the object in the body of a PUT.

    Raises ApiError if the name or namespace in the object differs from that in the URL.
    """

    def __init__(
        self,
        collection: Collection,
        name: str,
        decode: Callable[[], ApiObject],
        context: WriteContext,
        subresource: Subresource | None,
    ) -> None:
        self._collection = collection
        self._name = name
        self._decode = decode
        self._context = context
        self._writer = writer_of(collection.resource, context, collection.backend.clock, subresource)
        self._first: ApiObject | None = self._received()
        self.uid = self._first.metadata.uid or None
        """The uid in the body, or None. If the body has one, the stored object must have the same."""

    async def __call__(self, current: StoredObject | None) -> ApiObject:
        """Return the object in the request body, with defaults, and with the managedFields of `current` updated.

        `current` is the stored object, or None if the PUT creates the object.
        """
        new, self._first = self._first or self._received(), None
        await own_changes(current, new, self._collection.resource, self._writer)
        return new

    def _received(self) -> ApiObject:
        obj = self._decode()
        fit_namespace(obj.metadata, self._collection.namespace_of(self._context))
        check_object_name(obj, self._name)
        deduplicate_owners(obj, self._context)
        default_received(obj, self._collection.resource)
        return obj


class Changed:
    """Applies `change`, a function that modifies an object, to a copy of the newest revision of the object.

    If `owned` is True, managedFields are updated. `check`, if given, is called with the stored object before the
    change, and may raise an exception to prevent the change. For a subresource that ignores changes of the spec, such
    as ``status``, or if `replaces_spec` is True, the spec is not copied, but may be shared with other objects, so
    `change` must not modify it.
    """

    def __init__(  # noqa: PLR0913  keyword arguments with defaults
        self,
        collection: Collection,
        name: str,
        change: Change,
        context: WriteContext,
        *,
        subresource: Subresource | None = None,
        owned: bool = True,
        check: Callable[[StoredObject], Awaitable[None]] | None = None,
        replaces_spec: bool = False,
    ) -> None:
        self._collection = collection
        self._name = name
        self._change = change
        self._owned = owned
        self._check = check
        self._writer = writer_of(collection.resource, context, collection.backend.clock, subresource)
        resets_spec = ("spec",) in collection.resource.strategy_of(subresource).reset_fields
        self._decode = collection.seen if resets_spec or replaces_spec else collection.instance

    async def __call__(self, current: StoredObject | None) -> ApiObject:
        """Apply the change to the stored object `current`, and return the result.

        Raises ApiError 404 if `current` is None, and the exceptions of the functions that check and change it.
        """
        if current is None:
            raise not_found(self._collection.resource.group_resource, self._name)
        if self._check is not None:
            await self._check(current)
        new = self._decode(current)
        self._change(new)
        if self._owned:
            await own_changes(current, new, self._collection.resource, self._writer)
        return new
