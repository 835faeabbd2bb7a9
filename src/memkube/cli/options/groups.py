"""Groups of options: a command takes them as one dataclass instead of one parameter for each option."""

from collections.abc import Callable, Iterable
from dataclasses import field, fields
from functools import wraps
from typing import Any, TypeAlias

import click

_Function: TypeAlias = Callable[..., None]


def option(about: str, *, default: Any = None, **attributes: Any) -> Any:
    """Return a field of a dataclass for an option that has the name of the field, and the help text `about`.

    `attributes` are keyword arguments of `click.option`. An empty text as the default is not shown in the help.
    """
    if default is None:
        default = () if "multiple" in attributes else False if "is_flag" in attributes else None
    click_option = {"help": about, "default": default, "show_default": default != "", **attributes}
    return field(default=default, metadata=click_option)


def option_group(group: type[Any], parameter: str) -> Callable[[_Function], _Function]:
    """Return a decorator that adds an option to a command for each field of the dataclass `group`.

    The command receives the values of the options in its parameter `parameter`, as an instance of `group`.
    """

    def decorated(command: _Function) -> _Function:
        @wraps(command)
        def called(*args: Any, **given: Any) -> None:
            values = {each.name: given.pop(each.name) for each in fields(group)}
            command(*args, **given, **{parameter: group(**values)})

        for each in reversed(fields(group)):
            called = click.option(f"--{each.name.replace('_', '-')}", **each.metadata)(called)
        return called

    return decorated


def listed(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the values of an option that may be repeated, and may have commas between values."""
    return tuple(word for text in texts for word in text.split(","))
