"""Validation of the taints of nodes, and of the alpha annotations for taints and preferAvoidPods."""

from collections.abc import Mapping, Sequence
from typing import Final

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    invalid,
    not_supported,
    required,
)
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import (
    is_label_value,
)
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.nodes.types import (
    AvoidPods,
    Taint,
)
from memkube.apis.core.v1.podspec.validation.annotations import GoFields, json_value, structs_in

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_UNIQUE: Final = "taints must be unique by key and effect pair"
_TAINTS_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/taints"
_AVOIDED_PODS: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_TAINT_FIELDS: Final[GoFields] = {
    "key": ("key", "string"),
    "value": ("value", "string"),
    "effect": ("effect", "core.TaintEffect"),
    "timeadded": ("timeAdded", "v1.Time"),
}


def validate_taints(taints: Sequence[Taint], path: FieldPath) -> list[FieldError]:
    """Validate taints: keys, values and effects are valid, and no two taints have the same key and effect."""
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
            errors.append(FieldError("FieldValueDuplicate", item, InternalValue(taint), _UNIQUE))
        seen.add((taint.effect, taint.key))
    return errors


def validate_node_annotations(annotations: Mapping[str, str], path: FieldPath) -> list[FieldError]:
    """Validate a node's alpha annotations for taints and preferAvoidPods, whose values are JSON."""
    errors: list[FieldError] = []
    if text := annotations.get(_TAINTS_ANNOTATION):
        errors += _validate_taints(text, path)
    if text := annotations.get(_AVOIDED_PODS):
        errors += _validate_avoided_pods(text, path)
    return errors


def _validate_taints(text: str, path: FieldPath) -> list[FieldError]:
    try:
        taints = [Taint(**found) for found in structs_in(text, "Taint", _TAINT_FIELDS)]
    except ValueError as error:
        return [invalid(path, _TAINTS_ANNOTATION, str(error))]
    return validate_taints(taints, path.child(_TAINTS_ANNOTATION))


def _validate_avoided_pods(text: str, path: FieldPath) -> list[FieldError]:
    try:
        avoided = ModelForm(AvoidPods).decode(json_value(text) or {}).value
    except (ValueError, DecodeError) as error:
        return [invalid(path.child("AvoidPods"), _AVOIDED_PODS, str(error))]
    errors: list[FieldError] = []
    for index, entry in enumerate(avoided.preferAvoidPods):
        signature = path.child(_AVOIDED_PODS).item(index).child("PodSignature")
        controller = entry.podSignature.podController
        if controller is None:
            errors.append(required(signature))
        elif not controller.controller:
            pointer = signature.child("PodController").child("Controller")
            errors.append(invalid(pointer, controller.controller, "must point to a controller"))
    return errors
