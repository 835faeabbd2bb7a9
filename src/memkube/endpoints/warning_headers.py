"""Warning headers (KEP-1693): RFC 7234's format, and the reference's limits to how much they say."""

import unicodedata
from collections.abc import Iterable, Iterator

MOST_CHARACTERS = 4096
MOST_CHARACTERS_EACH = 256
"""How much is left of each text where all of them together are too long."""


def warning_headers(texts: Iterable[str]) -> list[str]:
    """The values of the headers for these texts. Empty, repeated and unprintable ones are left out."""
    once = [text for text in dict.fromkeys(texts) if text]
    if sum(map(len, filter(_is_printable, once))) > MOST_CHARACTERS:
        once = list(_shortened(once))
    return [_header(text) for text in once if _is_printable(text)]


def _shortened(texts: Iterable[str]) -> Iterator[str]:
    """What goes behind the text that overruns the limit is dropped once the shortened ones overrun it too."""
    written, replayed = 0, 0
    for text in texts:
        replayed += len(text)
        short = text[:MOST_CHARACTERS_EACH]
        if written >= MOST_CHARACTERS and replayed - len(text) > MOST_CHARACTERS:
            return
        written += len(short)
        yield short


def _is_printable(text: str) -> bool:
    return not any(unicodedata.category(character) == "Cc" for character in text)


def _header(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'
