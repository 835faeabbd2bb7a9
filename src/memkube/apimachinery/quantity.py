"""Quantities: fixed-point numbers with a suffix, such as ``500m`` or ``1Gi``."""

import re
from typing import Self

_FORM = re.compile(r"^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$")


class Quantity(str):
    """A resource.Quantity in its written form."""

    __slots__ = ()

    @classmethod
    def parse(cls, value: object) -> Self:
        """The quantity that a client wrote as a string or number. Raises ValueError in the reference's words."""
        text = value if isinstance(value, str) else str(value)
        if not _FORM.match(text):
            raise ValueError(f"quantities must match the regular expression '{_FORM.pattern}'")
        return cls(text)
