"""Rules for taints."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import is_label_value
from memkube.apimachinery.shown_values import Unversioned
from memkube.apis.core.v1.nodes.types.node import Taint

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_UNIQUE: Final = "taints must be unique by key and effect pair"


def validate_taints(taints: Sequence[Taint], path: FieldPath) -> list[FieldError]:
    """Taints can be tolerated, and no two of one effect share a key."""
    errors: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        item = path.item(index)
        errors += validate_label_name(taint.key, item.child("key"))
        if problems := is_label_value(taint.value):
            errors.append(invalid(item.child("value"), taint.value, ";".join(problems)))
        if not taint.effect:
            errors.append(required(item.child("effect")))
        elif taint.effect not in _EFFECTS:
            errors.append(not_supported(item.child("effect"), taint.effect, _EFFECTS))
        if (taint.effect, taint.key) in seen:
            errors.append(FieldError("FieldValueDuplicate", item, Unversioned(taint), _UNIQUE))
        seen.add((taint.effect, taint.key))
    return errors
