"""Parses arguments of the form KEY=VALUE, which set the fields of metric values, container rules and node resources."""

import json
from collections.abc import Iterable
from typing import Any

import click


def fields_of(words: Iterable[str]) -> dict[str, Any]:
    """Return the fields in words of the form KEY=VALUE; a value is JSON or text.

    Raises click.BadParameter for a word of another form.
    """
    return dict(map(_field, words))


def _field(text: str) -> tuple[str, Any]:
    key, separator, value = text.partition("=")
    if not separator:
        raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
