"""Warnings about quantities."""

from collections.abc import Iterable, Mapping

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted


def fraction_warnings(resources: Mapping[str, Quantity], names: Iterable[str], path: FieldPath) -> Iterable[str]:
    """About amounts of bytes that are no whole numbers."""
    for name in names:
        quantity = resources.get(name)
        if quantity is not None and quantity.milli_value % 1000:
            yield f"{path.key(name)}: fractional byte value {quoted(quantity)} is invalid, must be an integer"
