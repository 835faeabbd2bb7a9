"""Errors about the fields of a fault, in the words of the Python API."""

import re
from collections.abc import Mapping

from pydantic import ValidationError

from memkube.errors import UsageError


def usage_error(error: ValidationError, words: Mapping[str, str] | None = None) -> UsageError:
    """Return the error to raise for values that pydantic refuses.

    `words` are the names of fields in the Python API, if they differ from those of the model in more than their case:
    the model's ``retryAfterSeconds`` is ``retry_after`` to a program.
    """

    def word(field: str) -> str:
        snake = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", field)
        return (words or {}).get(snake, snake)

    lines = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        path = [part for part in problem["loc"] if isinstance(part, str)]
        field = word(path[0]) if path else ""
        message = re.sub(r"\b[a-z]+(?:[A-Z][a-z]+)+\b", lambda found: word(found[0]), problem["msg"])
        message = message.removeprefix("Value error, ")
        lines.append(f"{field}: {message}" if field else message)
    return UsageError("; ".join(dict.fromkeys(lines)))
