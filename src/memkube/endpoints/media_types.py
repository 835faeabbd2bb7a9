"""The Accept header: its clauses, in the order in which they are tried (goautoneg), and Content-Type."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
EVENT_STREAM = "text/event-stream"

_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PARAMETER = rf'\s*;\s*{_WORD}\s*=\s*(?:{_WORD}|"(?:[^"\\]|\\.)*")'
_content_type: Final = re.compile(rf"\s*({_WORD}(?:/{_WORD})?)\s*(?:{_PARAMETER})*\s*;?\s*").fullmatch


@dataclass(frozen=True, slots=True)
class Clause:
    """One media type that a client accepts."""

    type: str
    quality: float = 1.0
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def pretty(self) -> bool:
        """Whether it asks for a layout for people."""
        return self.parameters.get("pretty") == "1"

    def admits(self, offered: str) -> bool:
        """Whether an offered media type falls under this clause."""
        return self.type in (offered, "*/*", f"{offered.partition('/')[0]}/*")

    def comes_before(self, other: "Clause") -> bool:
        """Whether this clause is tried first: it is better, or the other one leaves more open.

        Of ``application/yaml;q=0.5`` and ``*/*`` either comes before the other.
        """
        if self.quality > other.quality:
            return True
        (kind, _, subkind), (other_kind, _, other_subkind) = self.type.partition("/"), other.type.partition("/")
        return (kind != "*" and other_kind == "*") or (subkind != "*" and other_subkind == "*")


@lru_cache(maxsize=256)
def parse_accept(header: str) -> tuple[Clause, ...]:
    """The clauses of an Accept header in the order in which they are tried; those without a slash are left out."""
    clauses = [clause for part in header.split(",") if (clause := _clause(part)) is not None]
    # comes_before is no order: how the clauses are compared decides, so this insertion sort is the reference's.
    for end in range(1, len(clauses)):
        for index in range(end, 0, -1):
            if not clauses[index].comes_before(clauses[index - 1]):
                break
            clauses[index - 1], clauses[index] = clauses[index], clauses[index - 1]
    return tuple(clauses)


def named_types(header: str) -> list[str]:
    """The media types of an Accept header as they are written."""
    return [part.partition(";")[0].strip(" ") for part in header.split(",")]


def media_type_of(content_type: str) -> str:
    """The media type of a Content-Type header in lower case, "" where the header is malformed."""
    found = _content_type(content_type)
    return found[1].lower() if found else ""


def _clause(text: str) -> Clause | None:
    media_type, *rest = text.split(";")
    kind, slash, subkind = (part.strip(" ") for part in media_type.partition("/"))
    if not subkind:
        if kind != "*" or slash:
            return None
        subkind = "*"
    if "/" in subkind:
        return None
    parameters: dict[str, str] = {}
    quality = 1.0
    for part in rest:
        name, _, value = part.partition("=")
        if not value or "=" in value:
            continue
        if name.strip(" ") == "q":
            quality = _quality(value)
        else:
            parameters[name.strip(" ")] = value.strip(" ")
    return Clause(f"{kind}/{subkind}", quality, parameters)


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
