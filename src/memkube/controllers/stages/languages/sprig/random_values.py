"""Sprig's functions whose results are random. Servers with the same seed return the same values."""

import string
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, Final

from memkube.apimachinery.random_values import written_uuid
from memkube.controllers.stages.languages.template_arguments import (
    MOST_ITEMS,
    TemplateFunction,
    int_of,
    taking,
    text_of,
)
from memkube.controllers.stages.languages.template_values import TemplateError

_LETTERS: Final = string.ascii_letters
_PRINTABLE: Final = "".join(map(chr, range(32, 127)))


class RandomFunctions:
    """Sprig's functions whose results are random, such as ``randInt``."""

    def __init__(self, draw: Callable[[int], int]) -> None:
        """`draw` returns a random number from 0 to its argument minus 1."""
        self._draw = draw

    @property
    def functions(self) -> Mapping[str, TemplateFunction]:
        """The functions, by name."""
        return {
            "randInt": taking(2, self._between),
            "randAlpha": self._text_of(_LETTERS),
            "randAlphaNum": self._text_of(_LETTERS + string.digits),
            "randAscii": self._text_of(_PRINTABLE),
            "randNumeric": self._text_of(string.digits),
            "randBytes": taking(1, self._bytes),
            "shuffle": taking(1, self._shuffled),
            "uuidv4": taking(0, lambda: written_uuid(self._draw(2**128))),
        }

    def _between(self, least: Any, end: Any) -> int:
        first, last = int_of(least), int_of(end)
        if last <= first:
            raise TemplateError("invalid argument to Intn")
        return first + self._draw(last - first)

    def _text_of(self, letters: str) -> TemplateFunction:
        def random_text(count: Any) -> str:
            length = int_of(count)
            if length > MOST_ITEMS:
                raise TemplateError(f"the random text has more than {MOST_ITEMS} characters")
            return "".join(letters[self._draw(len(letters))] for _ in range(length))

        return taking(1, random_text)

    def _bytes(self, count: Any) -> str:
        """Return random bytes in base64."""
        length = int_of(count)
        if not 0 <= length <= MOST_ITEMS:
            raise TemplateError(f"the number of random bytes is not in the range 0 to {MOST_ITEMS}")
        return b64encode(bytes(self._draw(256) for _ in range(length))).decode()

    def _shuffled(self, text: Any) -> str:
        letters = list(text_of(text))
        for last in range(len(letters) - 1, 0, -1):
            other = self._draw(last + 1)
            letters[last], letters[other] = letters[other], letters[last]
        return "".join(letters)
