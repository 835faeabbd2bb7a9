"""Who owns which field of an object (KEP-555): kept in metadata.managedFields by every write."""

from memkube.apimachinery.managed_fields import Writer, field_set, record_update
from memkube.apimachinery.meta.v1.api_object import ApiObject, ManagedFieldsEntry
from memkube.registry.clock import Clock, written_now
from memkube.registry.context import WriteContext
from memkube.registry.resource import Resource, Subresource
from memkube.registry.stored import StoredObject


def own_changes(live: StoredObject | None, new: ApiObject, resource: Resource, writer: Writer) -> None:
    """Makes the writer the owner of what `new` changes in `live`."""
    entries = record_update(resource.schema, live.document if live else None, new.to_document(), writer)
    new.metadata.managedFields = [ManagedFieldsEntry.from_document(entry) for entry in entries] or None


def writer_of(
    resource: Resource, context: WriteContext, clock: Clock, subresource: Subresource | None = None
) -> Writer:
    """Who writes, through which path, and what cannot be owned through it."""
    strategy = resource.strategy_of(subresource)
    return Writer(
        manager=context.manager,
        api_version=resource.api_version,
        kind=resource.kind,
        time=written_now(clock),
        subresource=subresource.name if subresource else "",
        reset_fields=field_set(*strategy.reset_fields) if strategy.reset_fields else None,
    )
