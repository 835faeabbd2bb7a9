"""Values of expressions as the data that mutations are made of (apiserver ``pkg/cel/mutation/dynamic``)."""

from typing import Any

from memkube.apis.admissionregistration.v1.rules.patch_values import ObjectValue
from memkube.cel.errors import EvaluationError
from memkube.cel.values import Held, Value


def as_applied(value: Value) -> Any:
    """What an applied configuration has of a value. Raises EvaluationError for a key that is no text."""
    if isinstance(value, ObjectValue):
        return {name: as_applied(held) for name, held in value.fields.items()}
    if isinstance(value, list):
        return [as_applied(item) for item in value]
    if isinstance(value, dict):
        if any(not isinstance(key, str) for key in value):
            raise EvaluationError("map key is not a string")
        return {key: as_applied(held) for key, held in value.items()}
    return value.document if isinstance(value, Held) else value


def as_json(value: Value) -> Any:
    """A value as JSON. Raises EvaluationError."""
    return as_applied(value)
