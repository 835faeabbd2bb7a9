"""Maps and objects that expressions read directly from JSON data."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memkube.cel.errors import no_such_overload
from memkube.cel.identifiers import escaped, unescaped
from memkube.cel.standard.equality import equal, same_document
from memkube.cel.standard.maps import value_of_key
from memkube.cel.values import MISSING, MapValue, Value

if TYPE_CHECKING:
    # Imported for types only, because the modules import each other: a Shape creates the maps of this module.
    from memkube.cel.documents.shapes import Shape


class SchemaMap(MapValue):
    """A map in JSON data whose values share one schema. If they have no schema, expressions find no keys in the map."""

    __slots__ = ("_data", "_shape")

    def __init__(self, data: dict[str, Any], shape: "Shape") -> None:
        self._data = data
        self._shape = shape

    @property
    def document(self) -> dict[str, Any]:
        return self._data

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._data if self._shape.property(name) is not None)

    def find(self, key: Value) -> Value:
        if not isinstance(key, str):
            raise no_such_overload()
        shape = self._shape.additional
        if shape is None or key not in self._data:
            return MISSING
        return shape.value(self._data[key])

    def equals(self, other: Value) -> bool:
        if not isinstance(other, dict | MapValue):
            raise no_such_overload()
        return len(self) == len(other) and all(self._same(name, other) for name in self._data)

    def _same(self, name: str, other: dict[Value, Value] | MapValue) -> bool:
        if self._shape.property(name) is None:
            # Properties without a schema are compared as JSON data. If `other` lacks such a property, the objects still
            # count as equal.
            if not isinstance(other, SchemaMap):
                raise no_such_overload()
            return name not in other.document or same_document(self._data[name], other.document[name])
        found, others = self.find(name), value_of_key(other, name)
        if found is MISSING or others is MISSING:
            return found is others
        return equal(found, others)


class SchemaObject(SchemaMap):
    """An object whose schema declares properties.

    Expressions use escaped property names. A property that is null counts as absent.
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        return (escaped(name) or name for name in super().__iter__())

    def find(self, key: Value) -> Value:
        if key.__class__ is not str:
            raise no_such_overload()
        name = unescaped(key) if "__" in key else key
        data = self._data.get(name)  # type: ignore[arg-type]
        if data is None:
            return MISSING
        try:
            read = self._shape.field_readers[name]  # type: ignore[index]
        except KeyError:
            return MISSING
        return read(data)
