"""Lists in JSON data: atomic lists, sets (``list-type=set``) and lists with map keys (``list-type=map``)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.standard.equality import equal
from memkube.cel.values import DocumentValue, ListValue, Value, is_list

if TYPE_CHECKING:
    # Imported for types only, because the modules import each other: a Shape creates the lists of this module.
    from memkube.cel.documents.shapes import Shape


def document_of(value: Value) -> Any:
    """Return the JSON data from which a CEL value such as a SchemaMap reads; return other values unchanged."""
    return value.document if isinstance(value, DocumentValue) else value


def _hashable(data: Any) -> Any:
    """Return a hashable value, which is equal for equal JSON data only. As in Go, 1 and 1.0 are different."""
    if isinstance(data, list):
        return tuple(map(_hashable, data))
    if isinstance(data, dict):
        return tuple((key, _hashable(value)) for key, value in data.items())
    return data.__class__, data


class AtomicList(ListValue):
    """A list in JSON data that is neither a set nor has map keys: lists with different orders are not equal."""

    __slots__ = ("_data", "_shape")

    def __init__(self, data: list[Any], shape: "Shape") -> None:
        self._data = data
        self._shape = shape

    @property
    def document(self) -> list[Any]:
        return self._data

    def __len__(self) -> int:
        return len(self._data)

    def _item(self, data: Any) -> Value:
        return self._shape.value(data)

    def __getitem__(self, index: int) -> Value:
        return self._item(self._data[index])

    def __iter__(self) -> Iterator[Value]:
        return map(self._item, self._data)

    def each(self) -> Iterator[Value]:
        for data in self._data:
            try:
                yield self._item(data)
            except EvaluationError as error:
                yield error

    def equals(self, other: Value) -> bool:
        others = self._listed(other)
        return len(self) == len(others) and all(equal(one, another) for one, another in zip(self, others, strict=True))

    def holds(self, value: Value) -> bool:
        failed: EvaluationError | None = None
        for item in self:
            try:
                if equal(item, value):
                    return True
            except EvaluationError as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return False

    def plus(self, other: Value) -> Value:
        return AtomicList([*self._data, *map(document_of, self._listed(other))], self._shape)

    @staticmethod
    def _listed(other: Value) -> list[Value] | ListValue:
        if not is_list(other):
            raise no_such_overload()
        assert isinstance(other, list | ListValue)
        return other


class SetList(AtomicList):
    """A list with ``list-type=set``: equality ignores the order, and ``+`` skips items that the list has."""

    __slots__ = ()

    def equals(self, other: Value) -> bool:
        others = self._listed(other)
        if len(self) != len(others):
            return False
        known = set(map(_hashable, self._data))
        return all(_hashable(document_of(one)) in known for one in others)

    def plus(self, other: Value) -> Value:
        data, known = list(self._data), set(map(_hashable, self._data))
        for one in map(document_of, self._listed(other)):
            if _hashable(one) not in known:
                known.add(_hashable(one))
                data.append(one)
        return SetList(data, self._shape)


class KeyedList(AtomicList):
    """A list with ``list-type=map``: equality ignores the order, and ``+`` replaces items with the same map keys."""

    __slots__ = ("_keys",)

    def __init__(self, data: list[Any], shape: "Shape", keys: tuple[str, ...]) -> None:
        super().__init__(data, shape)
        self._keys = keys

    def _key(self, data: Any) -> Any:
        if not isinstance(data, dict):
            raise EvaluationError(
                f"unexpected data format for element of array with x-kubernetes-list-type=map: {data}"
            )
        return tuple(_hashable(data.get(key)) for key in self._keys)

    def equals(self, other: Value) -> bool:
        others = self._listed(other)
        if len(self) != len(others):
            return False
        known = {self._key(data): data for data in self._data}
        for one in others:
            key = self._key(document_of(one))
            if key not in known or not equal(self._item(known[key]), one):
                return False
        return True

    def plus(self, other: Value) -> Value:
        data = list(self._data)
        indices = {self._key(one): index for index, one in enumerate(data)}
        for one in map(document_of, self._listed(other)):
            index = indices.get(self._key(one))
            if index is None:
                data.append(one)
            else:
                data[index] = one
        return KeyedList(data, self._shape, self._keys)
