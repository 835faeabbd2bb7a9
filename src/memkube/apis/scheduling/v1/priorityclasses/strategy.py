"""Validation (``pkg/apis/scheduling/validation``) and strategy of PriorityClasses."""

from typing import Final

from memkube.apimachinery.errors import GroupResource
from memkube.apimachinery.errors import forbidden as refused
from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, not_supported, required
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.scheduling.v1.priorityclasses.system_classes import HIGHEST_USER_PRIORITY, PREFIX, SYSTEM_CLASSES
from memkube.apis.scheduling.v1.priorityclasses.types import PriorityClass
from memkube.registry.declarations.interface import Deletion, ObjectStore
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy

_RESOURCE: Final = GroupResource("scheduling.k8s.io", "priorityclasses")
_METADATA: Final = FieldPath("metadata")
_VALUE: Final = FieldPath("value")
_PREEMPTION_POLICY: Final = FieldPath("preemptionPolicy")
_PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")


def validate_priority_class(priority_class: PriorityClass) -> list[FieldError]:
    """Validate a PriorityClass.

    Names that begin with ``system-`` and very high values are reserved for the built-in system classes.
    """
    metadata, policy = priority_class.metadata, priority_class.preemptionPolicy
    errors = validate_metadata(metadata, subdomain_name, namespaced=False)
    if metadata.name.startswith(PREFIX):
        if wrong := _system_class_error(priority_class):
            why = f"priority class names with '{PREFIX}' prefix are reserved for system use only. error: {wrong}"
            errors.append(forbidden(_METADATA.child("name"), why))
    elif priority_class.value > HIGHEST_USER_PRIORITY:
        why = f"maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}"
        errors.append(forbidden(_VALUE, why))
    if policy == "":
        errors.append(required(_PREEMPTION_POLICY))
    elif policy is not None and policy not in _PREEMPTION_POLICIES:
        errors.append(not_supported(_PREEMPTION_POLICY, policy, _PREEMPTION_POLICIES))
    return errors


def validate_priority_class_update(new: PriorityClass, old: PriorityClass) -> list[FieldError]:
    """Validate an update of a PriorityClass: value and preemption policy are immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    if new.value != old.value:
        errors.append(forbidden(_VALUE, "may not be changed in an update."))
    return errors + validate_immutable(new.preemptionPolicy, old.preemptionPolicy, _PREEMPTION_POLICY)


def _system_class_error(priority_class: PriorityClass) -> str:
    """Return the error of a PriorityClass that differs from the built-in system class of the same name.

    Returns an empty text if it does not differ.
    """
    name = priority_class.metadata.name
    if name not in SYSTEM_CLASSES:
        return f"{name} is not a known system priority class"
    value, _ = SYSTEM_CLASSES[name]
    if priority_class.value != value:
        return f"value of {name} PriorityClass must be {value}"
    return f"globalDefault of {name} PriorityClass must be false" if priority_class.globalDefault else ""


class PriorityClassStrategy(Strategy[PriorityClass]):
    """Rules for writes of PriorityClasses: defaults, validation, and no deletion of built-in system classes.

    Updates do not increment the generation. Source: ``pkg/registry/scheduling/priorityclass``.
    """

    validate = staticmethod(validate_priority_class)
    validate_update = staticmethod(validate_priority_class_update)

    def default(self, obj: PriorityClass) -> None:
        """Set the preemption policy of a PriorityClass to PreemptLowerPriority if it is unset."""
        if obj.preemptionPolicy is None:
            obj.preemptionPolicy = "PreemptLowerPriority"

    def prepare_for_create(self, obj: PriorityClass, now: Time) -> list[str]:
        obj.metadata.generation = 1
        return []

    async def begin_delete(
        self, store: ObjectStore, name: str, options: DeleteOptions, context: WriteContext
    ) -> Deletion | None:
        """Raise ApiError 403 if the PriorityClass is a built-in system class, which cannot be deleted."""
        if name in SYSTEM_CLASSES:
            why = "this is a system priority class and cannot be deleted"
            raise refused(_RESOURCE, name, why)
        return None
