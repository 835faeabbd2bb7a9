"""Error messages for invalid fields of a fault, with the field names of the Python API or of the command line."""

import re
from collections.abc import Mapping

from pydantic import ValidationError

from memkube.errors import UsageError


def usage_error(error: ValidationError, words: Mapping[str, str] | None = None, joint: str = "_") -> UsageError:
    """Return a UsageError that says which field values pydantic rejected, with the field names that users write.

    `joint` is put between the words of a name: with ``_``, the field ``retryAfterSeconds`` is named
    ``retry_after_seconds``. If users know a field by another name, `words` maps the joined name to it, for example
    ``retry_after_seconds`` to ``retry_after``.
    """

    def word(field: str) -> str:
        snake = re.sub(r"[A-Z]", lambda letter: f"{joint}{letter[0].lower()}", field)
        return (words or {}).get(snake, snake)

    lines = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        path = [part for part in problem["loc"] if isinstance(part, str)]
        field = word(path[0]) if path else ""
        message = re.sub(r"\b[a-z]+(?:[A-Z][a-z]+)+\b", lambda found: word(found[0]), problem["msg"])
        message = message.removeprefix("Value error, ")
        lines.append(f"{field}: {message}" if field else message)
    return UsageError("; ".join(dict.fromkeys(lines)))
