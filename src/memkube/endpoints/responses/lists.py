"""Lists and Tables as compact JSON, indented JSON or YAML.

While a long list is formatted, other requests can run. Compact JSON is joined when it is sent.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import orjson

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.endpoints.requests.negotiation import YAML, Representation
from memkube.endpoints.responses.encodings import Pieces
from memkube.endpoints.responses.responses import BytesResponse, JoinedResponse
from memkube.time.turns import Turns

_AT_ONCE: Final = 16
"""Number of objects that are formatted at a time, before other requests can run."""


class ListParts(NamedTuple):
    """A list or Table with encoded objects, which are joined when the response is sent."""

    head: Document
    """Top-level fields that precede the objects in JSON, such as kind and metadata."""
    member: str
    """Name of the top-level field that contains the objects: ``items`` or ``rows``."""
    pieces: Pieces
    """The encoded objects, as compact JSON."""
    empty: str = "[]"
    """JSON text of the field `member` if there are no objects: ``[]`` or ``null``."""
    tail: Mapping[str, Any] = MappingProxyType({})
    """Top-level fields that follow the objects in JSON."""

    async def response(self, representation: Representation, warnings: Sequence[str]) -> BytesResponse | JoinedResponse:
        """Return the HTTP response with the list as JSON or YAML, as `representation` says, and with `warnings`."""
        if representation.is_compact_json:
            return JoinedResponse(*self._compact(), warnings)
        write = self._yaml if representation.media_type == YAML else self._indented
        turns, written = Turns(), bytearray()
        async for part in write(turns):
            written += part
        return BytesResponse(bytes(written), 200, representation.media_type, warnings)

    def text(self) -> bytes:
        """Return the whole list as compact JSON."""
        separator, parts = self._compact()
        return separator.join(parts)

    def _compact(self) -> tuple[bytes, list[bytes]]:
        """Return the list as compact JSON: a separator, and the byte strings that have to be joined with it."""
        before, rows, after = self.pieces
        start = b'%s,"%s":' % (to_json(self.head)[:-1], self.member.encode())
        behind = b",%s" % to_json(self.tail)[1:] if self.tail else b"}"
        if not rows:
            return b"", [b"%s%s%s\n" % (start, self.empty.encode(), behind)]
        start, end = b"%s[%s" % (start, before), b"%s]%s\n" % (after, behind)
        if len(rows) == 1:
            # A row is not copied here: it can be long, and other responses use the same bytes.
            return b"", [start, rows[0], end]
        rows[0] = start + rows[0]
        rows[-1] += end
        return self.pieces.separator, rows

    async def _indented(self, turns: Turns) -> AsyncIterator[bytes]:
        yield to_json(self.head, indented=True)[:-2] + b',\n  "%s": ' % self.member.encode()
        behind = b",%s" % to_json(self.tail, indented=True)[1:] if self.tail else b"\n}"
        if not self.pieces.rows:
            yield self.empty.encode() + behind
            return
        between = b"[\n    "
        async for items in self._documents(turns):
            for item in items:
                yield between + to_json(item, indented=True).replace(b"\n", b"\n    ")
                between = b",\n    "
        yield b"\n  ]" + behind

    async def _yaml(self, turns: Turns) -> AsyncIterator[bytes]:
        """Yield the list as YAML in pieces, with its top-level fields sorted.

        Between two pieces, `turns` lets other requests run.
        """
        # Few clients request YAML, so `yaml_text` is imported for the first such request.
        from memkube.endpoints.responses.yaml_text import to_yaml  # noqa: PLC0415

        members = {**self.head, **self.tail}
        before = {name: value for name, value in members.items() if name < self.member}
        after = {name: value for name, value in members.items() if name > self.member}
        yield (to_yaml(before) if before else b"") + b"%s:" % self.member.encode()
        if not self.pieces.rows:
            yield b" %s\n" % self.empty.encode()
        else:
            yield b"\n"
            async for items in self._documents(turns):
                yield to_yaml(items)
        yield to_yaml(after) if after else b""

    async def _documents(self, turns: Turns) -> AsyncIterator[list[Document]]:
        """Yield groups of `_AT_ONCE` objects, as parsed JSON data. Between them, `turns` lets other requests run."""
        before, rows, after = self.pieces
        for first in range(0, len(rows), _AT_ONCE):
            await turns.give()
            yield [orjson.loads(before + row + after) for row in rows[first : first + _AT_ONCE]]


def joined(pieces: Iterable[Pieces]) -> Pieces:
    """Join consecutive parts of a list: add the rows of all parts to the first part, and return it.

    The rows of all parts must begin and end with the same bytes (`Pieces.before` and `Pieces.after`).
    """
    first, *rest = pieces
    for more in rest:
        first.rows.extend(more.rows)
    return first
