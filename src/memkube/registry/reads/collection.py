"""Base of the verbs for the objects of one resource: storage, admission, clock and name generation."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Protocol, TypeAlias

from memkube.apimachinery.errors import ApiError, GroupResource, bad_request, conflict, invalid
from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.forms import Form, ModelForm
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import Preconditions
from memkube.apimachinery.model import Document
from memkube.apimachinery.names import is_path_segment_name
from memkube.apimachinery.random_values import RandomValues
from memkube.apimachinery.shown_values import quoted
from memkube.faults.active import Faults
from memkube.registry.declarations.admission import Admission, Attributes, Operation
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.conversion import Conversion, ConvertedStorage
from memkube.registry.objects.interned_specs import InternedSpec, InternedSpecs, InterningForm
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.watch_events import WatchEvent
from memkube.storage.interface import Storage
from memkube.time.clock import Clock

Objects: TypeAlias = Storage[StoredObject]

_LONGEST_GENERATED_BASE: Final = 58
"""Maximum length in characters of a generated name without its random suffix."""


def check_key_name(name: str) -> None:
    """Raise ApiError 400 if the name of an object is not a valid segment of a URL path."""
    if not name:
        raise bad_request("Name parameter required.")
    problems = is_path_segment_name(name)
    if problems:
        raise bad_request(f"Name parameter invalid: {quoted(name)}: {'; '.join(problems)}")


class ServedStores(Stores, Protocol):
    """The stores of all resources of a server, and the resource of each kind: see :class:`Registry`."""

    def resource_of(self, kind: KindName) -> Resource | None:
        """Return the resource of a served kind; None if the kind is not served."""


@dataclass(frozen=True)
class Backend:
    """Storage, admission, clock and name generation, shared by all stores of a server."""

    storage: Objects
    admission: Admission
    clock: Clock
    random_values: RandomValues = field(default_factory=RandomValues)
    """Source of random uids and name suffixes."""
    faults: Faults = field(default_factory=Faults)
    """Faults that users have injected into the server, such as delays, errors and dropped connections."""

    def converting(self, conversion: Conversion) -> "Backend":
        """Return a copy of this backend whose storage converts between the served version and the stored one."""
        return replace(self, storage=ConvertedStorage(self.storage, conversion, self.clock.activity))

    async def as_written(self, value: StoredObject) -> StoredObject:
        """Return an object as clients would see it after it was stored, for the response to a dry run.

        Raises ApiError if the conversion to or from the stored version fails.
        """
        return await self.storage.as_written(value) if isinstance(self.storage, ConvertedStorage) else value

    async def update(
        self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject | None]], *, keeps_spec: bool
    ) -> StoredObject:
        """Update a stored object: see ``Storage.update``.

        If `keeps_spec` is True, the stored ``spec`` remains as it is, even if converting it to the served version and
        back would change it.
        """
        if keeps_spec and isinstance(self.storage, ConvertedStorage):
            return await self.storage.update_keeping_spec(key, change)
        return await self.storage.update(key, change)

    def generated_name(self, base: str) -> str:
        """Return the prefix `base` with a random suffix. A long prefix is shortened."""
        return base[:_LONGEST_GENERATED_BASE] + self.random_values.suffix()


class Collection:
    """The objects of one resource, with helpers that several verbs use."""

    def __init__(self, resource: Resource, backend: Backend, stores: ServedStores) -> None:
        self.resource = resource
        self.backend = backend
        """What all stores of the server share. Only the registry package may use it."""
        self.stores = stores
        """The stores of all resources, passed to hooks of the kind."""
        self.shown_to_all: tuple[object, Sequence[WatchEvent]] = (None, ())
        """The last storage event that was read alone, in a list, and the watch event made of it.

        All watchers without selectors receive the same watch event, so it is made only once.
        """

    @property
    def clock(self) -> Clock:
        """The server's clock, which is the source of all timestamps in objects."""
        return self.backend.clock

    @cached_property
    def form(self) -> Form[ApiObject]:
        """Decoder of request bodies and patched documents into objects."""
        form = self.resource.form
        return InterningForm(form, self.specs) if isinstance(form, ModelForm) and self.specs is not None else form

    @cached_property
    def specs(self) -> InternedSpecs | None:
        """The specs of this kind that several objects share to save memory; None if the kind does not share specs."""
        strategy, form = self.resource.strategy, self.resource.form
        if not strategy.interns_spec or not isinstance(form, ModelForm):
            return None
        return InternedSpecs(form, strategy.default_spec)

    def interned_spec(self, obj: ApiObject) -> InternedSpec | None:
        """Return the shared spec that equals the spec of `obj`, which is ready to be stored.

        Returns None if the spec of `obj` was not copied from a shared (interned) spec.
        """
        return None if self.specs is None else self.specs.intern_admitted(obj)

    def key(self, namespace: str, name: str) -> str:
        """Return the storage key of an object."""
        if self.resource.namespaced:
            return f"{self.resource.key_prefix}{namespace}/{name}"
        return self.resource.key_prefix + name

    def prefix(self, namespace: str) -> str:
        """Return the prefix of the storage keys of all objects in `namespace`; if it is empty, in all namespaces."""
        if self.resource.namespaced and namespace:
            return f"{self.resource.key_prefix}{namespace}/"
        return self.resource.key_prefix

    def namespace_of(self, context: WriteContext) -> str:
        """Return the namespace of a request; empty for a cluster-scoped resource."""
        return context.namespace if self.resource.namespaced else ""

    def begin(self, context: WriteContext) -> None:
        """Record in `context`, when a write starts, which restore of a snapshot was the last one: see `check_begun`."""
        if context.begun is None:
            context.begun = self.backend.storage.restored

    def check_begun(self, name: str, context: WriteContext) -> None:
        """Raise ApiError 409 if a snapshot was restored since the write began, when `begin` was called with `context`.

        `name` is the name of the written object, for the error message.
        """
        if context.begun is not None and context.begun != self.backend.storage.restored:
            raise self.restored_meanwhile(name)

    def restored_meanwhile(self, name: str) -> ApiError:
        """Return the 409 error for a write during which the storage was restored to a snapshot."""
        why = (
            "the server was restored to a snapshot during the write; please read the object again and repeat the write"
        )
        return conflict(self.resource.group_resource, name, why)

    def instance(self, stored: StoredObject) -> ApiObject:
        """Return a stored object as an instance of the kind's model, which the caller may change."""
        known = self._stored_spec(stored)
        if known is None:
            return self.resource.model.from_document(stored.document)
        return known.instance(self.resource.model, stored.document)

    def seen(self, stored: StoredObject) -> ApiObject:
        """Return a stored object as an instance of the kind's model.

        The caller must not change it, because several objects may share its spec.
        """
        known, document = self._stored_spec(stored), stored.document
        return self.resource.model.from_document(document if known is None else {**document, "spec": known.model})

    def with_shared_spec(self, document: Document) -> Document:
        """Return the document of an object, in which a spec that several objects share replaces an equal spec.

        This saves memory.
        """
        known = self._spec_of(document)
        return document if known is None else {**document, "spec": known.document}

    def _stored_spec(self, stored: StoredObject) -> InternedSpec | None:
        return self._spec_of(stored.document)

    def _spec_of(self, document: Document) -> InternedSpec | None:
        if self.specs is None:
            return None
        return self.specs.find_stored(document.get("spec"), document["metadata"].get("uid", ""))

    def attributes(
        self,
        operation: Operation,
        new: ApiObject | None,
        old: ApiObject | None,
        context: WriteContext,
        subresource: str = "",
    ) -> Attributes:
        """Return a write's attributes for admission plugins. `old` and `new` are the object before and after it."""
        obj = new if new is not None else old
        assert obj is not None
        name = "" if context.of_collection else obj.metadata.name
        return Attributes(self.resource, subresource, operation, context.namespace, name, new, old, context)

    async def admit_deletion(self, stored: StoredObject, context: WriteContext) -> None:
        """Run admission for the deletion of an object. Raises ApiError if a plugin rejects the deletion."""
        attributes = self.attributes("DELETE", None, self.instance(stored), context)
        await self.backend.admission.mutate(attributes)
        await self.backend.admission.validate(attributes)

    def check_uid(self, current: StoredObject, uid: str | None, *, dry_run: bool = False) -> None:
        """Raise ApiError 409 if `uid` is set and differs from the uid of the stored object `current`.

        The storage key in the message has no prefix ``/registry`` in a dry run.
        """
        if uid is not None and uid != current.uid:
            why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {current.uid}"
            raise self.precondition_failed(current, why, dry_run=dry_run)

    def precondition_failed(self, current: StoredObject, why: str, *, dry_run: bool = False) -> ApiError:
        """Return the 409 error for a failed precondition on the stored object `current`; `why` describes the failure.

        The message is that of kube-apiserver's storage. It contains the storage key, which has no prefix ``/registry``
        in a dry run.
        """
        where = f"{'' if dry_run else '/registry'}/{self.resource.stored.prefix or self.resource.plural}/"
        where += f"{current.namespace}/{current.name}" if self.resource.namespaced else current.name
        text = f"StorageError: invalid object, Code: 4, Key: {where}, ResourceVersion: 0, AdditionalErrorMsg: {why}"
        return conflict(self.resource.group_resource, current.name, text)

    def invalid_object(self, obj: ApiObject, errors: Sequence[FieldError]) -> ApiError:
        """Return the 422 error for the object `obj`. For a custom object, it names the kind that the client sent."""
        if self.resource.structural is None:
            return self.invalid(obj.metadata.name, errors)
        return invalid(KindName.of(obj.apiVersion, "").group, obj.kind, obj.metadata.name, errors)

    def invalid(self, name: str, errors: Sequence[FieldError], shown: Resource | None = None) -> ApiError:
        """Return the 422 error for an invalid object.

        The message names the kind of this collection, or that of the resource `shown` if it is given.
        """
        resource = shown or self.resource
        return invalid(resource.stored_as.group, resource.kind, name, errors)


def check_record(named: GroupResource, obj: ApiObject, preconditions: Preconditions) -> None:
    """Raise ApiError 409 if an object's uid or resourceVersion differs from that in the DeleteOptions' preconditions.

    `named` is the group and kind for the error message (apiserver ``rest/delete.go``, ``BeforeDelete``). The storage
    checks the same preconditions again when it deletes the object, but its errors name the group and resource.
    """
    metadata = obj.metadata
    uid, version = preconditions.uid, preconditions.resourceVersion
    if uid is not None and uid != metadata.uid:
        raise conflict(
            named,
            metadata.name,
            f"the UID in the precondition ({uid}) does not match the UID in record ({metadata.uid}). "
            "The object might have been deleted and then recreated",
        )
    if version is not None and version != metadata.resourceVersion:
        raise conflict(
            named,
            metadata.name,
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({metadata.resourceVersion}). The object might have been modified",
        )
