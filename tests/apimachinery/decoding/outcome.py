"""What a reader makes of an input: its data, or the words with which it is refused."""

from collections.abc import Callable
from typing import Any

from memkube.apimachinery.decoding import DecodeError


def outcome(read: Callable[..., Any], *arguments: Any) -> Any:
    """The data, or the message of the DecodeError; no other exception is caught."""
    try:
        return read(*arguments)
    except DecodeError as error:
        return error.message
