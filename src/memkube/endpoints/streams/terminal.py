"""The sizes of a terminal, as clients report them."""

import json
from collections.abc import AsyncIterator
from typing import Any

from memkube.registry.streaming import TerminalSize

_LARGEST = 2**16 - 1
_LONGEST = 4096


async def terminal_sizes(pieces: AsyncIterator[bytes]) -> AsyncIterator[TerminalSize]:
    """One size for each JSON object with ``Width`` and ``Height``; ends with the first thing that is none."""
    decoder = json.JSONDecoder()
    text = ""
    async for piece in pieces:
        text = (text + piece.decode("latin-1")).lstrip()
        while text:
            try:
                document, end = decoder.raw_decode(text)
            except ValueError:
                break
            size = _size(document)
            if size is None:
                return
            yield size
            text = text[end:].lstrip()
        if len(text) > _LONGEST:
            return


def _size(document: Any) -> TerminalSize | None:
    """Names of fields match in any case, as in the reference's decoder."""
    if not isinstance(document, dict):
        return None
    fields = {name.lower(): value for name, value in document.items()}
    width, height = fields.get("width", 0), fields.get("height", 0)
    if any(type(side) is not int or not 0 <= side <= _LARGEST for side in (width, height)):
        return None
    return TerminalSize(width, height)
