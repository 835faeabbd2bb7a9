"""Validation (``pkg/apis/node/validation``) and strategy of RuntimeClasses."""

from collections.abc import Sequence
from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, required
from memkube.apimachinery.meta.validation.labels import validate_labels
from memkube.apimachinery.meta.validation.object_meta import (
    validate_immutable,
    validate_object_meta,
    validate_object_meta_update,
)
from memkube.apimachinery.names import is_dns1123_label, subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.podspec.types.containers import ResourceRequirements
from memkube.apis.core.v1.podspec.types.scheduling import Toleration
from memkube.apis.core.v1.podspec.validation.resources import validate_container_resource_name, validate_requirements
from memkube.apis.core.v1.podspec.validation.scheduling import validate_tolerations
from memkube.apis.core.v1.podspec.warnings.node_labels import RETIRED_NODE_LABELS
from memkube.apis.node.v1.runtimeclasses.types import Overhead, RuntimeClass, Scheduling
from memkube.registry.declarations.strategy import Strategy

_HANDLER: Final = FieldPath("handler")
_OVERHEAD: Final = FieldPath("overhead")
_SCHEDULING: Final = FieldPath("scheduling")


def validate_runtime_class(runtime_class: RuntimeClass) -> list[FieldError]:
    """Validate a RuntimeClass: handler, overhead, and tolerations, which must not repeat each other."""
    handler = runtime_class.handler
    errors = validate_object_meta(runtime_class.metadata, subdomain_name, namespaced=False)
    if not handler:
        errors.append(required(_HANDLER))
    errors += [invalid(_HANDLER, handler, message) for message in is_dns1123_label(handler) if handler]
    if runtime_class.overhead is not None:
        errors += _validate_overhead(runtime_class.overhead)
    if runtime_class.scheduling is not None:
        errors += _validate_scheduling(runtime_class.scheduling)
    return errors


def validate_runtime_class_update(new: RuntimeClass, old: RuntimeClass) -> list[FieldError]:
    """Validate an update of a RuntimeClass by the rules for new classes; the handler is immutable."""
    errors = validate_runtime_class(new) + validate_object_meta_update(new.metadata, old.metadata)
    return errors + validate_immutable(new.handler, old.handler, _HANDLER)


def _validate_overhead(overhead: Overhead) -> list[FieldError]:
    limits = ResourceRequirements(limits=overhead.podFixed)
    return validate_requirements(limits, frozenset(), _OVERHEAD, validate_container_resource_name)


def _validate_scheduling(scheduling: Scheduling) -> list[FieldError]:
    errors = validate_labels(scheduling.nodeSelector, _SCHEDULING.child("nodeSelector"))
    path = _SCHEDULING.child("tolerations")
    return errors + validate_tolerations(scheduling.tolerations, path) + _duplicates(scheduling.tolerations, path)


def _duplicates(tolerations: Sequence[Toleration], path: FieldPath) -> list[FieldError]:
    """Return an error for each toleration that equals an earlier one, apart from tolerationSeconds."""
    seen: set[tuple[str, str, str, str]] = set()
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        key = (toleration.key, toleration.operator, toleration.value, toleration.effect)
        if key in seen:
            errors.append(duplicate(path.item(index), InternalValue(toleration)))
        seen.add(key)
    return errors


class RuntimeClassStrategy(Strategy[RuntimeClass]):
    """Validates RuntimeClasses, and warns about deprecated node labels in their node selectors.

    A PUT creates a missing RuntimeClass; an update needs a resourceVersion. Source:
    ``pkg/registry/node/runtimeclass/strategy.go``.
    """

    allow_create_on_update: ClassVar[bool] = True
    allow_unconditional_update: ClassVar[bool] = False

    validate = staticmethod(validate_runtime_class)
    validate_update = staticmethod(validate_runtime_class_update)

    def warnings_on_create(self, obj: RuntimeClass) -> list[str]:
        """Warn about deprecated node labels in the node selector of a RuntimeClass."""
        chosen = obj.scheduling.nodeSelector if obj.scheduling is not None else {}
        return [
            f"scheduling.nodeSelector: {RETIRED_NODE_LABELS[label]}" for label in chosen if label in RETIRED_NODE_LABELS
        ]

    def warnings_on_update(self, new: RuntimeClass, old: RuntimeClass) -> list[str]:
        """Warn about deprecated node labels in the node selector of a RuntimeClass, even if they are unchanged."""
        return self.warnings_on_create(new)
