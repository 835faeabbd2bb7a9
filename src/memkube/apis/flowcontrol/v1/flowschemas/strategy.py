from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.metadata import validate_metadata
from memkube.apis.flowcontrol.v1.dangling import condition_after_schema_write
from memkube.apis.flowcontrol.v1.flowschemas.types import FlowSchema, FlowSchemaSpec
from memkube.apis.flowcontrol.v1.flowschemas.validation import validate_spec
from memkube.apis.flowcontrol.v1.objects import mandatory_schemas, metadata_of_status_update, validate_conditions
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, SpecStrategy, StatusStrategy
from memkube.registry.objects.stored import StoredObject

_SPEC: Final = FieldPath("spec")
_CONDITIONS: Final = FieldPath("status.conditions")
_DEFAULT_PRECEDENCE: Final = 1000


class FlowSchemaStrategy(SpecStrategy[FlowSchema]):
    """Rules for writing FlowSchemas: default precedence, validation, and the fixed specs of mandatory FlowSchemas.

    Source: ``pkg/registry/flowcontrol/flowschema/strategy.go``.
    """

    def default(self, obj: FlowSchema) -> None:
        obj.spec.matchingPrecedence = obj.spec.matchingPrecedence or _DEFAULT_PRECEDENCE

    async def begin_create(self, stores: Stores, obj: FlowSchema, context: WriteContext) -> Finish | None:
        """Return a callback that updates the condition Dangling after a new FlowSchema is stored."""
        return condition_after_schema_write(stores, obj.metadata.name, context)

    async def begin_update(
        self, stores: Stores, new: FlowSchema, old: FlowSchema, context: WriteContext
    ) -> Finish | None:
        """Return a callback that updates the condition Dangling after an updated FlowSchema is stored."""
        return condition_after_schema_write(stores, old.metadata.name, context)

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """Schedule the recreation of the FlowSchema, in case it is one of the server's own."""
        stores.kind_services.on_flow_control_changed()

    def validate(self, obj: FlowSchema) -> list[FieldError]:
        """Validate a FlowSchema. The spec of a mandatory FlowSchema must be the one that Kubernetes defines."""
        name = obj.metadata.name
        errors = validate_metadata(obj.metadata, subdomain_name, namespaced=False)
        errors += validate_spec(name, obj.spec, _SPEC)
        fixed = mandatory_schemas().get(name)
        if fixed is not None and obj.spec != FlowSchemaSpec.from_document(fixed):
            errors.append(invalid(_SPEC, InternalValue(obj.spec), f"spec of '{name}' must equal the fixed value"))
        return errors + validate_conditions(obj.status.conditions, _CONDITIONS)

    def validate_update(self, new: FlowSchema, old: FlowSchema) -> list[FieldError]:
        return self.validate(new)


class FlowSchemaStatusStrategy(StatusStrategy[FlowSchema], FlowSchemaStrategy):
    """Strategy for writing the ``status`` subresource of FlowSchemas, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("metadata",), ("spec",))

    def prepare_for_update(self, new: FlowSchema, old: FlowSchema) -> None:
        new.metadata = metadata_of_status_update(new.metadata, old.metadata)
        new.spec = old.spec

    def validate_update(self, new: FlowSchema, old: FlowSchema) -> list[FieldError]:
        return validate_conditions(new.status.conditions, _CONDITIONS)
