"""Rules for the metadata of objects in all writes (apiserver ``registry/rest``), and for managedFields (KEP-555)."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeVar

from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.managed_fields import FieldSet, Writer, field_set, fields_of_new, record_update
from memkube.apimachinery.managed_fields.shapes import violations
from memkube.apimachinery.meta.v1.api_object import ApiObject, ManagedFieldsEntry, ObjectMeta, OwnerReference
from memkube.apimachinery.model import Document, restore_given
from memkube.apimachinery.schema import struct_of
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Resource, Subresource
from memkube.registry.objects.interned_specs import InternedSpec, interned_spec_of
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import Clock, written_now

T = TypeVar("T")
_MOST_PLAIN: Final = 16
"""Maximum number of labels and annotations for which the set of fields in an object's metadata is cached."""


def wipe_system_fields(metadata: ObjectMeta) -> None:
    """Clear the metadata fields of a new object that only the server may set, such as uid and creationTimestamp."""
    metadata.creationTimestamp = None
    metadata.deletionTimestamp = None
    metadata.deletionGracePeriodSeconds = None
    metadata.uid = ""
    metadata.selfLink = ""


def fit_namespace(metadata: ObjectMeta, namespace: str) -> None:
    """Set the object's namespace to that of the request. Raises ApiError 400 if the object has another namespace."""
    if metadata.namespace and namespace and metadata.namespace != namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    metadata.namespace = namespace


def deduplicate_owners(obj: ApiObject, context: WriteContext, *, after_admission: bool = False) -> None:
    """Remove duplicate owner references, and add a warning about them.

    `after_admission` is True if mutating admission has run; the warning then says so.
    """
    if len(obj.metadata.ownerReferences) < 2:
        return
    seen: list[OwnerReference] = []
    repeated: list[str] = []
    for reference in obj.metadata.ownerReferences:
        if reference not in seen:
            seen.append(reference)
        else:
            repeated.append(reference.uid)
    if repeated:
        obj.metadata.ownerReferences = seen
        when = " after mutating admission happens" if after_admission else ""
        context.warn(
            f".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, "
            "and may reject such requests as early as 1.24; please fix your requests; "
            f"duplicate UID(s) observed: {', '.join(repeated)}"
        )


def nameless(name: str) -> ApiError:
    """Return the 400 error for an object without a name, in a request whose URL contains the name."""
    return bad_request(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")


def check_object_name(obj: ApiObject, name: str) -> None:
    """Raise ApiError 400 if the object's name differs from the name in the URL."""
    if not obj.metadata.name:
        raise nameless(name)
    if obj.metadata.name != name:
        raise bad_request(f"the name of the object ({obj.metadata.name}) does not match the name on the URL ({name})")


def check_patched(new: ApiObject, name: str, namespace: str) -> None:
    """Raise ApiError 400 if a patch changed the name or the namespace of the object."""
    fit_namespace(new.metadata, namespace)
    check_object_name(new, name)


async def own_changes(live: StoredObject | None, new: ApiObject, resource: Resource, writer: Writer) -> None:
    """Update managedFields: the writer becomes the manager of the fields in which `new` differs from `live`."""
    if (spec := _interned_spec(new, resource)) is not None:
        if live is None and (node := _plainly_owned(new.metadata)) is not None and _resets_status_alone(resource):
            fields = {"f:metadata": node, **spec.fields} if node else spec.fields
            new.metadata.managedFields = [ManagedFieldsEntry.from_document(writer.created(fields))]
            return
        # `restore_given` changes the document in place, but other objects share the interned spec. So call it without
        # the spec, in which it has nothing to restore: an interned spec has no empty lists or maps.
        written = new.to_document_around("spec", {})
        restore_given(new, written)
        written["spec"] = spec.document
        await _record(live, new, written, resource, writer, spec.fields)
        return
    written = new.to_document()
    seen = [written, live.document] if live else [written]
    if resource.structural is not None and not (
        _has_known_type(new, resource) and all(_is_typed(resource, document) for document in seen)
    ):
        # As in kube-apiserver, a custom object of another kind, or that does not match its schema, gets no
        # managedFields.
        new.metadata.managedFields = None
        return
    restore_given(new, written)
    await _record(live, new, written, resource, writer)


def _interned_spec(new: ApiObject, resource: Resource) -> InternedSpec | None:
    return interned_spec_of(new.spec) if resource.strategy.interns_spec else None  # type: ignore[attr-defined]


def _resets_status_alone(resource: Resource) -> bool:
    return resource.strategy.reset_fields == (("status",),)


def _plainly_owned(metadata: ObjectMeta) -> FieldSet | None:
    """Return the FieldsV1 of the metadata of a new object, which its creator owns, from a cache.

    Returns None for metadata that is not worth caching, because few objects have equal metadata: with many labels and
    annotations, with owner references, with finalizers or with managedFields.
    """
    if metadata.managedFields is not None or metadata.ownerReferences or metadata.finalizers:
        return None
    labels, annotations = metadata.labels, metadata.annotations
    if len(labels) + len(annotations) > _MOST_PLAIN:
        return None
    return _owned_metadata(bool(metadata.generateName), tuple(labels), tuple(annotations))


@lru_cache(maxsize=256)
def _owned_metadata(generates_name: bool, labels: tuple[str, ...], annotations: tuple[str, ...]) -> FieldSet:
    """Return the FieldsV1 of a new object's metadata from the keys of its labels and annotations.

    `generates_name` is True if the object has a generateName.
    """
    metadata = ObjectMeta(
        generateName="generated" if generates_name else "",
        labels=dict.fromkeys(labels, ""),
        annotations=dict.fromkeys(annotations, ""),
    )
    fields = fields_of_new(struct_of(ApiObject), {"metadata": metadata.to_document()})
    assert fields is not None
    owned: FieldSet = fields.get("f:metadata", {})
    return owned


async def _record(
    live: StoredObject | None,
    new: ApiObject,
    written: Document,
    resource: Resource,
    writer: Writer,
    known: FieldSet | None = None,
) -> None:
    before = live.document if live else None
    entries = await across_versions(
        resource, writer, lambda writer: record_update(resource.schema, before, written, writer, known)
    )
    new.metadata.managedFields = [ManagedFieldsEntry.from_document(entry) for entry in entries] or None


async def across_versions(resource: Resource, writer: Writer, work: Callable[[Writer], T]) -> T:
    """Return the result of `work`, which updates managedFields and may need a custom object in several versions.

    `work` gets a copy of `writer` that can convert the object. `work` cannot wait for a conversion, so if it needs one
    that has not been made yet, it is stopped, and called again after the conversion.
    """
    if resource.versions is None:
        return work(writer)
    return await resource.versions.run_with_conversions(
        resource.api_version, lambda versions: work(writer._replace(versions=versions))
    )


def own_all(obj: ApiObject, kind: KindName, subresource: str, context: WriteContext, clock: Clock) -> None:
    """Make the client the manager of all fields of an object that it posts to a subresource."""
    writer = Writer(context.manager, kind.api_version, kind.kind, written_now(clock), subresource)
    document = obj.to_document()
    restore_given(obj, document)
    entries = record_update(struct_of(type(obj)), None, document, writer)
    obj.metadata.managedFields = [ManagedFieldsEntry.from_document(entry) for entry in entries] or None


def _has_known_type(obj: ApiObject, resource: Resource) -> bool:
    """Return True if a client sent a custom object with the kind of `resource`, in any of its versions."""
    versions = resource.versions
    return obj.kind == resource.kind and (
        obj.apiVersion == resource.api_version
        or (versions is not None and versions.structural_schema(obj.apiVersion) is not None)
    )


def _is_typed(resource: Resource, document: Document) -> bool:
    """Return True if an object matches its schema, ignoring duplicate items in lists."""
    if resource.structural is not None and resource.structural.is_plain(document):
        return True
    return not violations(resource.schema, document, repeats=True)


def writer_of(
    resource: Resource, context: WriteContext, clock: Clock, subresource: Subresource | None = None
) -> Writer:
    """Return the data about a write that managedFields need: manager, version, time, subresource and reset fields."""
    strategy, others = resource.strategy_of(subresource), resource.other_versions
    return Writer(
        manager=context.manager,
        api_version=resource.api_version,
        kind=resource.kind,
        time=written_now(clock),
        subresource=subresource.name if subresource else "",
        reset_fields=field_set(*strategy.reset_fields) if strategy.reset_fields else None,
        other_versions={} if not others else {name: lazy.load() for name, lazy in others.items()},
    )
