"""Numbers in annotations that stand for fields of kube-apiserver's internal version (``pkg/apis/apps/v1``)."""

import re
from typing import Final

from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.strategy import ConversionError

_LARGEST: Final = 2**63


def annotated_number(written: str, prefix: str = "") -> int:
    """Parse a 64-bit integer in an annotation. Raises ConversionError with `prefix` and Go's message if it is none."""
    if not re.fullmatch("[+-]?[0-9]+", written, re.ASCII):
        raise ConversionError(f"{prefix}strconv.ParseInt: parsing {quoted(written)}: invalid syntax")
    number = int(written)
    if not -_LARGEST <= number < _LARGEST:
        raise ConversionError(f"{prefix}strconv.ParseInt: parsing {quoted(written)}: value out of range")
    return number
