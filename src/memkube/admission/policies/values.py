"""Conversion of the results of CEL expressions to JSON, for the mutations of admission policies.

Sources: apiserver ``pkg/cel/mutation/dynamic``, and cel-go's conversions to ``structpb.Value``.
"""

from base64 import b64encode
from typing import Any, Final

from memkube.apis.admissionregistration.v1.rules.patch_values import ObjectValue
from memkube.cel.errors import EvaluationError
from memkube.cel.standard.calendar import rfc3339
from memkube.cel.standard.durations import in_seconds
from memkube.cel.values import DocumentValue, Duration, Opaque, Optional, Timestamp, TypeValue, Value, kind_of

_MOST_EXACT: Final = 2**53 - 1
"""Largest integer that JSON output contains as a number, because a double is exact up to it; others become strings."""


def as_applied(value: Value) -> Any:
    """Convert a CEL value for use in an apply configuration. Raises EvaluationError if a map key is not a string."""
    if isinstance(value, ObjectValue):
        return {name: as_applied(held) for name, held in value.fields.items()}
    if isinstance(value, list):
        return [as_applied(item) for item in value]
    if isinstance(value, dict):
        if any(not isinstance(key, str) for key in value):
            raise EvaluationError("map key is not a string")
        return {key: as_applied(held) for key, held in value.items()}
    return value.document if isinstance(value, DocumentValue) else value


def as_json(value: Value) -> Any:
    """Convert a CEL value to JSON. Raises EvaluationError if JSON cannot represent its type."""
    if isinstance(value, ObjectValue):
        return {name: as_json(held) for name, held in value.fields.items()}
    if isinstance(value, DocumentValue):
        return value.document
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {_key(key): as_json(held) for key, held in value.items()}
    if isinstance(value, Optional):
        return as_json(value.value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) if abs(value) <= _MOST_EXACT else str(int(value))
    return _scalar(value)


def _scalar(value: Value) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Duration):
        return in_seconds(value)
    if isinstance(value, Timestamp):
        return rfc3339(value)
    if isinstance(value, TypeValue):
        raise EvaluationError("type conversion not supported for 'type'")
    if isinstance(value, Opaque):
        name = value.type_name.rpartition(".")[2]
        raise EvaluationError(f"type conversion error from '{name}' to '*structpb.Value'")
    return value


def _key(key: Value) -> str:
    if isinstance(key, str):
        return key
    raise EvaluationError(f"unsupported type conversion from '{kind_of(key)}' to string")
