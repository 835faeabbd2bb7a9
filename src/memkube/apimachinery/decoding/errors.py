"""How decoding fails, and the fields that strict decoding complains about: unknown and duplicate ones.

Source: sigs.k8s.io/json and apimachinery's ``serializer/json``; types are named as Go names them.
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
    """A body that cannot be decoded; ``message`` is the reference's reason, to the letter.

    ``field`` is the path of what does not fit, where that is known; the reference does not tell it.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class UnfitValue(DecodeError):
    """A value of a wrong type (encoding/json's ``UnmarshalTypeError``).

    `fields` lead to it, the last ones in a struct of the name `struct`; there are none where the whole does not fit.
    """

    def __init__(self, met: str, wanted: str, struct: str, fields: Sequence[str]) -> None:
        where = (
            f"Go struct field {struct}.{'.'.join(fields)} of type {wanted}" if fields else f"Go value of type {wanted}"
        )
        super().__init__(f"json: cannot unmarshal {met} into {where}")
        self.met = met
        self.wanted = wanted
        self.fields = tuple(fields)

    def below(self, struct: str, fields: Sequence[str]) -> "UnfitValue":
        """The same of a document in which what was decoded by itself is the value of these fields."""
        error = UnfitValue(self.met, self.wanted, struct, [*fields, *self.fields])
        error.field = self.field
        return error


class StrictErrors:
    """The complaints about one document in the order of its text, each one once and no more than a hundred."""

    def __init__(self) -> None:
        self._messages: dict[str, None] = {}

    def unknown(self, path: str) -> None:
        """The document has a field that its type has not."""
        self._add(f"unknown field {quoted(path)}")

    def duplicate(self, path: str) -> None:
        """The document gives a field twice."""
        self._add(f"duplicate field {quoted(path)}")

    def messages(self) -> list[str]:
        """The complaints as the reference words them."""
        return list(self._messages)

    def _add(self, message: str) -> None:
        if len(self._messages) < _MOST_COMPLAINTS:
            self._messages.setdefault(message)


def type_name(schema: Schema) -> str:
    """The type of a value, such as ``[]v1.Container``."""
    if isinstance(schema, StructSchema):
        return f"{schema.package.rpartition('/')[2] or 'v1'}.{schema.name}"
    if isinstance(schema, ListSchema):
        return schema.name or f"[]{_item_name(schema.items)}"
    if isinstance(schema, MapSchema):
        return schema.name or f"map[string]{_item_name(schema.values)}"
    return schema.name


def _item_name(schema: Schema) -> str:
    return _ITEM_NAMES.get(schema.type, schema.name) if isinstance(schema, Scalar) else type_name(schema)
