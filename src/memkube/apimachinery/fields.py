r"""Field selectors, such as ``metadata.name=web,status.phase!=Running`` (apimachinery's ``fields``).

In values, ``,``, ``=`` and ``\`` are escaped with a ``\``. This module does not check which fields a kind supports.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

_terms: Final = re.compile(r"(?:[^,\\]|\\.|\\\Z)+", re.DOTALL).findall
_operator: Final = re.compile(r"!=|==|=").search
_special: Final = re.compile(r"\\(.?)|[,=]", re.DOTALL).sub


class FieldRequirement(NamedTuple):
    """A condition of a field selector for one field; the operator ``==`` is stored as ``=``."""

    field: str
    operator: Literal["=", "!="]
    value: str


class FieldSelector:
    """A field selector: it selects objects whose fields meet all requirements."""

    __slots__ = ("_terms", "requirements")

    def __init__(self, requirements: Sequence[FieldRequirement]) -> None:
        self.requirements = tuple(requirements)
        self._terms = tuple((r.field, r.operator == "=", r.value) for r in self.requirements)

    def matches(self, fields: Mapping[str, str]) -> bool:
        """True if the selector selects an object with the field values `fields`; a missing field counts as ""."""
        return all((fields.get(field, "") == value) is wanted for field, wanted, value in self._terms)

    def exact_value(self, field: str) -> str | None:
        """Return the value that the selector requires for `field` with ``=``; None if it has no such requirement."""
        return next((r.value for r in self.requirements if r.field == field and r.operator == "="), None)


def equals(field: str, value: str) -> FieldSelector:
    """Return a field selector of the objects whose field has this value."""
    return FieldSelector((FieldRequirement(field, "=", value),))


def parse(text: str) -> FieldSelector:
    """Parse a field selector. Raises ValueError with Kubernetes' message if the text is not a field selector."""
    requirements = [_requirement(text, term) for term in sorted(_terms(text))]
    return FieldSelector([r for r in requirements if r.field or r.value])


def _requirement(text: str, term: str) -> FieldRequirement:
    found = _operator(term)
    if found is None:
        raise ValueError(f"invalid selector: '{text}'; can't understand '{term}'")
    value = _special(_unescaped, term[found.end() :])
    return FieldRequirement(term[: found.start()], "!=" if found.group() == "!=" else "=", value)


def _unescaped(found: re.Match[str]) -> str:
    escaped: str | None = found.group(1)
    if escaped is None:
        raise ValueError(f"invalid field selector: unescaped character in value: {ord(found.group())}")
    if escaped not in ("\\", ",", "="):
        raise ValueError(f"invalid field selector: invalid escape sequence: \\{escaped}")
    return escaped
