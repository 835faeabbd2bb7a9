"""Groups of options: a command takes them as dataclasses instead of one parameter for each option."""

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for Typer that has an option for each field of the dataclasses that `command` takes.

    Each parameter of `command` whose type is a dataclass is replaced by one option per field of the dataclass. The
    fields are annotated like the parameters of a command. All parameters must be keyword-only.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)}
    options: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            options += _options(groups[name])
        else:
            options.append(parameter.replace(annotation=hints[name]))

    @wraps(command)
    def called(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    # Typer reads the parameters of a command from these attributes, so the options are declared there.
    vars(called)["__signature__"] = inspect.Signature(options)
    called.__annotations__ = {option.name: option.annotation for option in options}
    return called


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, kind, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]


def listed(texts: list[str] | None) -> tuple[str, ...]:
    """Return the values of an option that may be repeated, and may have commas between values."""
    return tuple(word for text in texts or () for word in text.split(","))
