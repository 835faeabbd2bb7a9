from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.metadata import validate_metadata
from memkube.apis.flowcontrol.v1.dangling import conditions_after_level_write, update_referring_schemas
from memkube.apis.flowcontrol.v1.objects import mandatory_levels, metadata_of_status_update, validate_conditions
from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.types import (
    PriorityLevelConfiguration,
    PriorityLevelConfigurationSpec,
    QueuingConfiguration,
)
from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.validation import validate_spec
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, SpecStrategy, StatusStrategy
from memkube.registry.objects.stored import StoredObject

_SPEC: Final = FieldPath("spec")
_CONDITIONS: Final = FieldPath("status.conditions")
_ROUND_TRIP: Final = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
"""Annotation with which conversions to v1beta3 kept a zero that the client had set. Clients may not set the annotation.
"""
_DEFAULT_SHARES: Final = 30
_DEFAULT_QUEUES: Final = 64
_DEFAULT_HAND: Final = 8
_DEFAULT_QUEUE_LENGTH: Final = 50


def default_level(level: PriorityLevelConfiguration) -> None:
    """Set the defaults of a priority level in place: shares, lendable percentage, and number and length of queues."""
    limited, exempt = level.spec.limited, level.spec.exempt
    if limited is not None:
        if limited.nominalConcurrencyShares is None:
            limited.nominalConcurrencyShares = _DEFAULT_SHARES
        limited.lendablePercent = limited.lendablePercent or 0
        if limited.limitResponse.queuing is not None:
            _default_queuing(limited.limitResponse.queuing)
    if exempt is not None:
        exempt.nominalConcurrencyShares = exempt.nominalConcurrencyShares or 0
        exempt.lendablePercent = exempt.lendablePercent or 0


def _default_queuing(queuing: QueuingConfiguration) -> None:
    queuing.handSize = queuing.handSize or _DEFAULT_HAND
    queuing.queues = queuing.queues or _DEFAULT_QUEUES
    queuing.queueLengthLimit = queuing.queueLengthLimit or _DEFAULT_QUEUE_LENGTH


class PriorityLevelConfigurationStrategy(SpecStrategy[PriorityLevelConfiguration]):
    """Rules for writing PriorityLevelConfigurations: defaults, validation, and the fixed specs of mandatory levels.

    Source: ``pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go``.
    """

    default = staticmethod(default_level)

    async def begin_create(
        self, stores: Stores, obj: PriorityLevelConfiguration, context: WriteContext
    ) -> Finish | None:
        """Return a callback that updates FlowSchemas after a new priority level is stored.

        It updates the condition Dangling of each FlowSchema that names the priority level.
        """
        return conditions_after_level_write(stores, obj.metadata.name, context)

    async def begin_update(
        self,
        stores: Stores,
        new: PriorityLevelConfiguration,
        old: PriorityLevelConfiguration,
        context: WriteContext,
    ) -> Finish | None:
        """Return a callback that updates FlowSchemas after an updated priority level is stored."""
        return conditions_after_level_write(stores, old.metadata.name, context)

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """Update the condition Dangling of the FlowSchemas that name the deleted priority level."""
        await update_referring_schemas(stores, last.name)

    def validate(self, obj: PriorityLevelConfiguration) -> list[FieldError]:
        metadata = obj.metadata
        errors = validate_metadata(metadata, subdomain_name, namespaced=False)
        if _ROUND_TRIP in metadata.annotations:
            errors.append(forbidden(FieldPath("metadata.annotations"), f"annotation '{_ROUND_TRIP}' is forbidden"))
        errors += validate_spec(metadata.name, obj.spec, _SPEC)
        errors += _validate_mandatory(metadata.name, obj.spec)
        return errors + validate_conditions(obj.status.conditions, _CONDITIONS)

    def validate_update(self, new: PriorityLevelConfiguration, old: PriorityLevelConfiguration) -> list[FieldError]:
        return self.validate(new)


def _validate_mandatory(name: str, spec: PriorityLevelConfigurationSpec) -> list[FieldError]:
    """Validate that a mandatory priority level has the spec which Kubernetes defines.

    Only ``spec.exempt`` of the level ``exempt`` may differ.
    """
    document = mandatory_levels().get(name)
    if document is None:
        return []
    fixed, part = PriorityLevelConfigurationSpec.from_document(document), ""
    if name == "exempt":
        fixed.exempt, part = spec.exempt, " except the 'spec.exempt' field"
    if spec == fixed:
        return []
    return [invalid(_SPEC, InternalValue(spec), f"spec of '{name}'{part} must equal the fixed value")]


class PriorityLevelConfigurationStatusStrategy(
    StatusStrategy[PriorityLevelConfiguration], PriorityLevelConfigurationStrategy
):
    """Strategy for writing the ``status`` subresource of PriorityLevelConfigurations, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("metadata",), ("spec",))

    def prepare_for_update(self, new: PriorityLevelConfiguration, old: PriorityLevelConfiguration) -> None:
        new.metadata = metadata_of_status_update(new.metadata, old.metadata)
        new.spec = old.spec

    def validate_update(self, new: PriorityLevelConfiguration, old: PriorityLevelConfiguration) -> list[FieldError]:
        return validate_conditions(new.status.conditions, _CONDITIONS)
