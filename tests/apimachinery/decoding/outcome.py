"""The result of decoding an input: its data, or an error message."""

from collections.abc import Callable
from typing import Any

from memkube.apimachinery.decoding import DecodeError


def outcome(read: Callable[..., Any], *arguments: Any) -> Any:
    """Return the decoded data, or the message of the DecodeError."""
    try:
        return read(*arguments)
    except DecodeError as error:
        return error.message
