"""The Accept header: its clauses, by quality (RFC 9110, section 12.5.1)."""

from dataclasses import dataclass, field
from functools import lru_cache

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Clause:
    """One media type that a client accepts."""

    type: str
    quality: float = 1.0
    parameters: dict[str, str] = field(default_factory=dict)

    def admits(self, offered: str) -> bool:
        """Whether an offered media type falls under this clause."""
        return self.type in (offered, "*/*")


@lru_cache(maxsize=256)
def parse_accept(header: str) -> tuple[Clause, ...]:
    """The clauses of an Accept header, best first; those of equal quality in their own order."""
    clauses = [_clause(part) for part in header.split(",")]
    return tuple(sorted(clauses, key=lambda clause: -clause.quality))


def _clause(text: str) -> Clause:
    media_type, *rest = (part.strip() for part in text.split(";"))
    parameters: dict[str, str] = {}
    quality = 1.0
    for part in rest:
        name, _, value = part.partition("=")
        if name == "q":
            quality = _quality(value)
        elif name:
            parameters[name] = value
    return Clause(media_type, quality, parameters)


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0
