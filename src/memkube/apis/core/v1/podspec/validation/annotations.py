"""Validation of pod annotations that Kubernetes interprets.

Most of these annotations are older than the spec fields for the same settings.
"""

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from memkube.apimachinery.decoding.json_body import syntax_error, value_name
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.podspec.validation.profiles import validate_profile_annotations
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD
from memkube.apis.core.v1.podspec.validation.scheduling import validate_tolerations

if TYPE_CHECKING:
    from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec

TOLERATIONS_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/tolerations"
GoFields: TypeAlias = Mapping[str, tuple[str, str]]
"""JSON name and Go type of each field of a Go struct. The keys are JSON names in lower case, because Go's
``encoding/json`` ignores the case of names."""
_TOLERATION_FIELDS: Final[GoFields] = {
    "key": ("key", "string"),
    "operator": ("operator", "core.TolerationOperator"),
    "value": ("value", "string"),
    "effect": ("effect", "core.TaintEffect"),
    "tolerationseconds": ("tolerationSeconds", "int64"),
}
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_CANONICAL_INTEGER: Final = re.compile("0|[1-9][0-9]*|-[0-9]+")


def validate_toleration_annotation(text: str, path: FieldPath) -> list[FieldError]:
    """Validate the alpha annotation with tolerations: a JSON list of valid tolerations."""
    from memkube.apis.core.v1.podspec.types.scheduling import Toleration  # noqa: PLC0415  only pods need the types, nodes do not

    try:
        tolerations = [Toleration(**found) for found in structs_in(text, "Toleration", _TOLERATION_FIELDS)]
    except ValueError as error:
        return [invalid(path, TOLERATIONS_ANNOTATION, str(error))]
    return validate_tolerations(tolerations, path.child(TOLERATIONS_ANNOTATION))


def structs_in(text: str, go_type: str, fields: GoFields) -> list[dict[str, Any]]:
    """Parse an annotation whose value is a JSON list of structs.

    `go_type` is the name of the struct's Go type, and `fields` has the JSON name and the Go type of each of its fields.
    Returns the values of each struct by JSON name, without fields that are null or unknown. Raises ValueError with the
    message of Go's ``encoding/json`` if the text does not match the Go type.
    """
    data = json_value(text)
    if data is None:
        return []
    if not isinstance(data, list):
        raise ValueError(f"json: cannot unmarshal {value_name(data)} into Go value of type []core.{go_type}")
    return [_fields(item, go_type, fields) for item in data]


def json_value(text: str) -> Any:
    """Parse JSON. Raises ValueError with the message of Go's ``encoding/json`` if the text is invalid."""
    fault = syntax_error(text.encode())
    if fault is not None:
        raise ValueError(fault)
    return json.loads(text)


def _fields(item: Any, struct: str, fields: GoFields) -> dict[str, Any]:
    if item is not None and not isinstance(item, dict):
        raise ValueError(f"json: cannot unmarshal {value_name(item)} into Go value of type core.{struct}")
    found: dict[str, Any] = {}
    for key, value in (item or {}).items():
        name, go_type = fields.get(key.lower(), ("", ""))
        if not name or value is None:
            continue
        if not isinstance(value, int if go_type == "int64" else str) or isinstance(value, bool):
            field = f"{struct}.{name[0].upper()}{name[1:]}"
            raise ValueError(
                f"json: cannot unmarshal {value_name(value)} into Go struct field {field} of type {go_type}"
            )
        found[name] = Time.parse_unless_zero(value) if go_type == "v1.Time" else value
    return found


def validate_pod_annotations(annotations: Mapping[str, str], spec: "PodSpec", path: FieldPath) -> list[FieldError]:
    """Validate a pod's annotations for mirror pods, tolerations, deletion cost, and seccomp and AppArmor profiles."""
    errors: list[FieldError] = []
    if MIRROR_POD in annotations and not spec.nodeName:
        detail = "must set spec.nodeName if mirror pod annotation is set"
        errors.append(invalid(path.key(MIRROR_POD), annotations[MIRROR_POD], detail))
    if tolerations := annotations.get(TOLERATIONS_ANNOTATION):
        errors += validate_toleration_annotation(tolerations, path)
    if (cost := annotations.get(_DELETION_COST)) is not None and not _is_int32(cost):
        errors.append(invalid(path.key(_DELETION_COST), cost, "must be a 32bit integer"))
    return errors + validate_profile_annotations(annotations, spec, path)


def _is_int32(text: str) -> bool:
    return _CANONICAL_INTEGER.fullmatch(text) is not None and -(2**31) <= int(text) < 2**31
