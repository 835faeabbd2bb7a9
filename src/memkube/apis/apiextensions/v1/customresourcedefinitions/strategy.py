"""Strategies for writing CustomResourceDefinitions and their status: defaults, conditions, stored versions, deletion.

Source: apiextensions ``registry/customresourcedefinition``.
"""

import asyncio
from typing import ClassVar, Final

from memkube.apimachinery.errors import GroupResource, conflict
from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.structural import has_whole_float
from memkube.apimachinery.structural.formats import is_known
from memkube.apimachinery.structural.keywords import schemas_within
from memkube.apimachinery.time import Time
from memkube.apis.apiextensions.v1.customresourcedefinitions.internal import internal_spec
from memkube.apis.apiextensions.v1.customresourcedefinitions.stored_schema import stored_schema
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceConversion,
    CustomResourceDefinition,
    CustomResourceDefinitionCondition,
    CustomResourceDefinitionSpec,
    CustomResourceDefinitionStatus,
)
from memkube.apis.apiextensions.v1.customresourcedefinitions.validation import (
    validate_definition,
    validate_definition_status_update,
    validate_definition_update,
)
from memkube.registry.declarations.interface import Deletion, ObjectStore
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, SpecStrategy, StatusStrategy
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"
_GROUP_RESOURCE: Final = GroupResource("apiextensions.k8s.io", "customresourcedefinitions")
_SERVICE_PORT: Final = 443


def set_condition(status: CustomResourceDefinitionStatus, new: CustomResourceDefinitionCondition, now: Time) -> None:
    """Set a condition in the status of a CustomResourceDefinition (``SetCRDCondition``).

    lastTransitionTime changes only if the condition's status changes.
    """
    found = next((condition for condition in status.conditions if condition.type == new.type), None)
    if found is None:
        new.lastTransitionTime = now
        status.conditions = [*status.conditions, new]
        return
    if found.status != new.status or found.lastTransitionTime is None:
        found.lastTransitionTime = now
    found.status, found.reason, found.message = new.status, new.reason, new.message


def _default(definition: CustomResourceDefinition) -> None:
    spec, names = definition.spec, definition.spec.names
    names.singular = names.singular or names.kind.lower()
    if names.kind and not names.listKind:
        names.listKind = f"{names.kind}List"
    if spec.conversion is None:
        spec.conversion = CustomResourceConversion(strategy="None")
    webhook = spec.conversion.webhook
    service = webhook.clientConfig.service if webhook and webhook.clientConfig else None
    if service is not None and service.port is None:
        service.port = _SERVICE_PORT
    if not definition.status.storedVersions:
        _add_stored_version(definition)


def _add_stored_version(definition: CustomResourceDefinition) -> None:
    """Add the storage version of a CustomResourceDefinition to its ``status.storedVersions``."""
    stored = definition.status.storedVersions
    version = next((version for version in definition.spec.versions if version.is_storage), None)
    if version is not None and version.name not in stored:
        definition.status.storedVersions = [*stored, version.name]


def _unknown_formats(spec: CustomResourceDefinitionSpec) -> list[str]:
    internal = internal_spec(spec)
    schemas = [part.schema.to_document() for part in (internal.common, *internal.own) if part.schema is not None]
    nodes = (node for schema in schemas for node in schemas_within(schema))
    return [
        node["format"] for node in nodes if node.get("format") and not is_known(node["format"], node.get("type", ""))
    ]


class DefinitionStrategy(SpecStrategy[CustomResourceDefinition]):
    """Rules for writes of CustomResourceDefinitions: defaults, validation, stored versions, and deletion in two steps.

    Source: ``registry/customresourcedefinition/strategy.go`` and ``etcd.go``.
    """

    allow_unconditional_update: ClassVar[bool] = False
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    default = staticmethod(_default)
    validate = staticmethod(validate_definition)
    validate_update = staticmethod(validate_definition_update)

    def prepare_for_create(self, obj: CustomResourceDefinition, now: Time) -> list[str]:
        """Clear the status of a new CustomResourceDefinition, except for the storage version in storedVersions."""
        warnings = super().prepare_for_create(obj, now)
        _add_stored_version(obj)
        return warnings

    async def find_errors(self, obj: CustomResourceDefinition, context: WriteContext) -> list[FieldError]:
        """Return the validation errors of a new CustomResourceDefinition.

        Runs in a thread, because validating large schemas takes long.
        """
        return await asyncio.to_thread(self.validate, obj)

    def canonicalize(self, obj: CustomResourceDefinition) -> None:
        """Write the numbers and the embedded metadata in the schemas as kube-apiserver stores them."""
        for version in obj.spec.versions:
            if version.schema_ is not None and version.schema_.openAPIV3Schema is not None:
                version.schema_.openAPIV3Schema = stored_schema(version.schema_.openAPIV3Schema)

    def warnings_on_create(self, obj: CustomResourceDefinition) -> list[str]:
        """Return a warning for each format in the schemas that the API server does not validate."""
        return [f"unrecognized format {quoted(name)}" for name in _unknown_formats(obj.spec)]

    def prepare_for_update(self, new: CustomResourceDefinition, old: CustomResourceDefinition) -> None:
        """Discard an update's changes to status, and add a new storage version to ``status.storedVersions``."""
        super().prepare_for_update(new, old)
        new.status = old.status.model_copy()
        _add_stored_version(new)

    def is_new_generation(self, new: CustomResourceDefinition, old: CustomResourceDefinition) -> bool:
        """Return True if the update changes the spec. As in Go, the float ``1.0`` differs from the stored integer 1."""
        if super().is_new_generation(new, old):
            return True
        schemas = (version.schema_.openAPIV3Schema for version in new.spec.versions if version.schema_ is not None)
        return any(
            has_whole_float(node[keyword])
            for schema in schemas
            if schema is not None
            for node in schemas_within(schema)
            for keyword in ("default", "enum", "example")
            if keyword in node
        )

    async def find_update_errors(
        self, new: CustomResourceDefinition, old: CustomResourceDefinition, context: WriteContext
    ) -> list[FieldError]:
        """Return the validation errors of an updated CustomResourceDefinition.

        Runs in a thread, because validating large schemas takes long.
        """
        return await asyncio.to_thread(self.validate_update, new, old)

    def warnings_on_update(self, new: CustomResourceDefinition, old: CustomResourceDefinition) -> list[str]:
        """Return a warning for each format that is new in the schemas and that the API server does not validate."""
        before = _unknown_formats(old.spec)
        return [f"unrecognized format {quoted(name)}" for name in _unknown_formats(new.spec) if name not in before]

    async def begin_delete(
        self, store: ObjectStore, name: str, options: DeleteOptions, context: WriteContext
    ) -> Deletion | None:
        """Mark a CustomResourceDefinition as terminating on its first DELETE, and return the result of the DELETE.

        The definition then has a finalizer, which a controller removes after the last custom resource. Returns None if
        the definition is terminating already, because such a DELETE is handled like that of any other object.
        """
        current = await store.get("", name)
        preconditions = options.preconditions or Preconditions()
        _check_preconditions(current, preconditions)
        if "deletionTimestamp" in current.document["metadata"]:
            return None

        async def check(newest: StoredObject) -> None:
            store.check_uid(newest, current.uid)
            _check_preconditions(newest, preconditions)
            await store.admit_deletion(newest, context)

        marked = await store.guaranteed_update(
            name, lambda definition: _mark(definition, written_now(store.clock)), context, check
        )
        return Deletion(marked, gone=False)


def _check_preconditions(current: StoredObject, preconditions: Preconditions) -> None:
    """Raise ApiError 409 if the object `current` has another UID or resource version than a DELETE requires.

    Source: ``etcd.go``.
    """
    found = {
        "UID": (preconditions.uid, current.uid),
        "ResourceVersion": (preconditions.resourceVersion, current.resource_version),
    }
    for name, (wanted, stored) in found.items():
        if wanted is not None and wanted != stored:
            why = f"Precondition failed: {name} in precondition: {wanted}, {name} in object meta: {stored}"
            raise conflict(_GROUP_RESOURCE, current.name, why)


def _mark(definition: CustomResourceDefinition, now: Time) -> None:
    metadata = definition.metadata
    metadata.deletionTimestamp = metadata.deletionTimestamp or now
    if FINALIZER not in metadata.finalizers:
        metadata.finalizers = [*metadata.finalizers, FINALIZER]
    soon = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
    pending = CustomResourceDefinitionCondition(
        type="Terminating", status="True", reason="InstanceDeletionPending", message=soon
    )
    set_condition(definition.status, pending, now)


class DefinitionStatusStrategy(StatusStrategy[CustomResourceDefinition], DefinitionStrategy):
    """Rules for updates of a CustomResourceDefinition's ``status`` subresource (``statusStrategy``)."""

    validate_update = staticmethod(validate_definition_status_update)

    def prepare_for_update(self, new: CustomResourceDefinition, old: CustomResourceDefinition) -> None:
        """Discard an update's changes to spec: the ``status`` subresource writes only status and metadata.

        If ``status.storedVersions`` is empty, add the storage version. kube-apiserver does this when it reads the
        stored definition.
        """
        new.spec = old.spec
        if not new.status.storedVersions:
            _add_stored_version(new)

    def canonicalize(self, obj: CustomResourceDefinition) -> None:
        """Leave the schemas as they are: they are those of the stored definition."""

    async def find_update_errors(
        self, new: CustomResourceDefinition, old: CustomResourceDefinition, context: WriteContext
    ) -> list[FieldError]:
        """Return the validation errors of a CustomResourceDefinition's updated status.

        This needs no thread, because the schemas in the spec are not validated.
        """
        return self.validate_update(new, old)
