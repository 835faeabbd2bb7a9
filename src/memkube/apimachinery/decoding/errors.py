"""Decoding errors, and the errors of strict field validation about unknown and duplicate fields.

Source: sigs.k8s.io/json and apimachinery's ``serializer/json``. Messages contain the names of Go types.
"""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.schema import ListSchema, MapSchema, Scalar, Schema, StructSchema
from memkube.apimachinery.shown_values import quoted

_MOST_COMPLAINTS: Final = 100
_ITEM_NAMES = {
    "quantity": "resource.Quantity",
    "time": "v1.Time",
    "microtime": "v1.MicroTime",
    "int-or-string": "intstr.IntOrString",
    "raw": "interface {}",
}


class DecodeError(Exception):
    """Raised if a body cannot be decoded; `message` is Kubernetes' error message, to the letter.

    `field` is the path of the wrong value if it is known; the path is not part of the message.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class UnmarshalTypeError(DecodeError):
    """Raised for a value of a wrong type (``UnmarshalTypeError`` of Go's ``encoding/json``).

    `fields` are the field names that lead from the Go struct `struct` to the value; empty if the whole document has a
    wrong type.
    """

    def __init__(self, met: str, wanted: str, struct: str, fields: Sequence[str]) -> None:
        where = (
            f"Go struct field {struct}.{'.'.join(fields)} of type {wanted}" if fields else f"Go value of type {wanted}"
        )
        super().__init__(f"json: cannot unmarshal {met} into {where}")
        self.met = met
        self.wanted = wanted
        self.fields = tuple(fields)

    def below(self, struct: str, fields: Sequence[str]) -> "UnmarshalTypeError":
        """Return a copy of this error for the case that the decoded document is a part of a larger document.

        `struct` is the name of the Go struct of the larger document, and `fields` is the path in it that leads to the
        decoded document.
        """
        error = UnmarshalTypeError(self.met, self.wanted, struct, [*fields, *self.fields])
        error.field = self.field
        return error


class StrictErrors:
    """Collects the errors that strict field validation finds in one document, in the order in which they are found.

    An error with the same message as an earlier one is dropped, and so are all errors after the first 100.
    """

    def __init__(self) -> None:
        self._messages: dict[str, None] = {}

    def unknown(self, path: str) -> None:
        """Record the error for a field that the type does not have."""
        self._add(f"unknown field {quoted(path)}")

    def duplicate(self, path: str) -> None:
        """Record the error for a field that occurs twice in the same JSON object."""
        self._add(f"duplicate field {quoted(path)}")

    def messages(self) -> list[str]:
        """Return the error messages in Kubernetes' wording."""
        return list(self._messages)

    def _add(self, message: str) -> None:
        if len(self._messages) < _MOST_COMPLAINTS:
            self._messages.setdefault(message)


def type_name(schema: Schema) -> str:
    """Return the Go name of a schema's type, such as ``[]v1.Container``."""
    if isinstance(schema, StructSchema):
        return f"{schema.package.rpartition('/')[2] or 'v1'}.{schema.name}"
    if isinstance(schema, ListSchema):
        return schema.name or f"[]{_item_name(schema.items)}"
    if isinstance(schema, MapSchema):
        return schema.name or f"map[string]{_item_name(schema.values)}"
    return schema.name


def _item_name(schema: Schema) -> str:
    if not isinstance(schema, Scalar):
        return type_name(schema)
    is_named = schema.name.startswith("v1.")
    return schema.name if is_named else _ITEM_NAMES.get(schema.type, schema.name)
