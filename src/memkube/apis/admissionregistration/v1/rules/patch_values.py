"""CEL values that expressions of MutatingAdmissionPolicies construct: schemaless objects and patch operations.

Sources: apiserver ``pkg/cel/mutation``.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeAlias

from memkube.cel.errors import EvaluationError
from memkube.cel.values import Opaque, Value

_PATCH: Final = "JSONPatch"
Construct: TypeAlias = "ObjectValue | PatchOperation"


@dataclass(frozen=True, slots=True, eq=False)
class ObjectValue(Opaque):
    """Value of the CEL expression ``Object.spec{...}``: the fields by name, and the name of the object's type."""

    type_name: str  # type: ignore[misc]  # each object has its own type name
    fields: dict[str, Value]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectValue) and (self.type_name, self.fields) == (other.type_name, other.fields)

    def __hash__(self) -> int:
        return hash(self.type_name)

    def misplaced(self) -> list[str]:
        """Return the nested objects whose type name does not match the field path at which they are set."""
        return _misplaced(self, self.type_name)


def _misplaced(value: Value, path: str) -> list[str]:
    if isinstance(value, ObjectValue):
        return _misplaced_object(value, path)
    if isinstance(value, list):
        return [error for item in value for error in _misplaced(item, path)]
    if isinstance(value, dict):
        return [error for item in value.values() for error in _misplaced(item, path)]
    return []


def _misplaced_object(value: ObjectValue, path: str) -> list[str]:
    errors = []
    if value.type_name != path:
        which = f'unexpected type name "{value.type_name}", expected "{path}"'
        errors.append(f"{which}, which matches field name path from root Object type")
    return errors + [error for name, held in value.fields.items() for error in _misplaced(held, f"{path}.{name}")]


@dataclass(frozen=True, slots=True)
class PatchOperation(Opaque):
    """Value of the CEL expression ``JSONPatch{...}``.

    `value` is a tuple that contains the value of the field ``value``, or nothing if that field is not set.
    """

    type_name: ClassVar[str] = _PATCH
    op: str = ""
    path: str = ""
    source: str = ""
    value: tuple[Value, ...] = ()


def constructed(type_name: str, fields: dict[str, Value]) -> Construct:
    """Return the value of a CEL expression ``Object{...}`` or ``JSONPatch{...}`` whose fields are `fields`.

    Raises EvaluationError if a JSONPatch has an unknown field, or a field other than ``value`` that is not a string.
    """
    if type_name != _PATCH:
        return ObjectValue(type_name, fields)
    said: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "value":
            said["value"] = (value,)
        elif name not in ("op", "path", "from"):
            raise EvaluationError(f"unexpected JSONPatchType field: {name}")
        elif isinstance(value, str):
            said["source" if name == "from" else name] = value
        else:
            raise EvaluationError(f"unexpected type {type(value).__name__} for JSONPatchType '{name}' field")
    return PatchOperation(**said)
