"""Arguments of the form KEY=VALUE: fields of metric values, container rules, node resources and faults."""

import json
from collections.abc import Iterable
from functools import partial
from typing import Any

import click

from memkube.cli.commands import argument

fields_argument = partial(argument, "fields", metavar="KEY=VALUE...", nargs=-1, required=True)
"""Decorator that adds the argument `fields` to a command; it takes the help text `help`."""


def fields_of(words: Iterable[str]) -> dict[str, Any]:
    """Return the fields in words of the form KEY=VALUE; a value is JSON or text.

    Raises click.BadParameter for a word of another form.
    """
    return {key: value_of(value) for key, value in map(key_and_value, words)}


def key_and_value(word: str) -> tuple[str, str]:
    """Return the parts of a word of the form KEY=VALUE. Raises click.BadParameter for a word of another form."""
    key, separator, value = word.partition("=")
    if not separator:
        raise click.BadParameter(f"{word!r} is not of the form KEY=VALUE")
    return key, value


def value_of(text: str) -> Any:
    """Return the value of a text in JSON; a text that is not JSON is the value itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
