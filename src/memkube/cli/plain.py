"""Command lines that are plain are understood without Typer, whose import is a good part of a server's start.

Options are declared with `Option`, which says what `typer.Option` would. A command line is plain where each word is an
option's whole name or a value that surely fits it. Everything else is left to Typer, which has the command from the
same declarations: help, completion, and whatever is wrong, in its words.
"""

import contextlib
import gc
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from memkube.errors import MemkubeError

COMPLETE: Final = "_MEMKUBE_COMPLETE"
"""The variable by which a shell asks for completions."""
_COMMANDS: Final = {"serve": "memkube.cli.serve"}
_number = re.compile(r"[0-9]{1,9}").fullmatch
_decimal_number = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?").fullmatch


class Option:
    """An option, as `typer.Option` is told of it."""

    def __init__(self, *flags: str, help: str, min: int | None = None, metavar: str | None = None) -> None:  # noqa: A002 - as in Typer
        """Without `flags`, it is called by its parameter's name."""
        self.flags = flags
        self.help = help
        self.min = min
        self.metavar = metavar

    def typed(self) -> Any:
        """The same for Typer."""
        import typer  # noqa: PLC0415  see the module

        chosen = {name: value for name in ("min", "metavar") if (value := getattr(self, name)) is not None}
        return typer.Option(*self.flags, help=self.help, **chosen)


class PlainCommand:
    """A command of one function, with nothing but options."""

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function

    def typed(self) -> Any:
        """It as a `typer.Typer`."""
        import typer  # noqa: PLC0415  see the module

        app = typer.Typer(add_completion=False)
        app.command()(typed(self.function))
        return app

    def arguments(self, words: Sequence[str]) -> dict[str, Any] | None:
        """What a command line says; None where it is not plain."""
        options = self._by_flag()
        found: dict[str, Any] = {}
        left = iter(words)
        for word in left:
            flag, equals, value = word.partition("=")
            name, type_, option = options.get(flag, ("", None, None))
            if option is None or name in found:
                return None
            if type_ is bool:
                read = None if equals else True
            else:
                read = _read(type_, option, value if equals else next(left, ""))
            if read is None:
                return None
            found[name] = read
        return found

    def _by_flag(self) -> dict[str, tuple[str, Any, Option]]:
        options = {}
        for name, hint in get_type_hints(self.function, include_extras=True).items():
            if get_origin(hint) is Annotated:
                option = hint.__metadata__[0]
                for flag in option.flags or ("--" + name.replace("_", "-"),):
                    options[flag] = (name, hint.__origin__, option)
        return options


def typed(function: Callable[..., None]) -> Callable[..., None]:
    """The function as Typer wants it declared."""
    assert isinstance(function, FunctionType)
    told = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    told.__doc__, told.__module__ = function.__doc__, function.__module__
    told.__annotations__ = {
        name: Annotated[hint.__origin__, option.typed()] if isinstance(option := _declared(hint), Option) else hint
        for name, hint in get_type_hints(function, include_extras=True).items()
    }
    return told


def run_plainly(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Runs a command without Typer, and ends as Typer would have it; False for a command line that is not plain."""
    module = _COMMANDS.get(words[0]) if words else None
    if module is None or COMPLETE in environment:
        return False
    with failures_told():
        try:
            with without_collection():
                command = import_module(module).app
            arguments = command.arguments(words[1:])
            if arguments is None:
                return False
            command.function(**arguments)
        except (EOFError, KeyboardInterrupt, OSError) as error:
            _end_by(error)
    return True


@contextlib.contextmanager
def failures_told() -> Iterator[None]:
    """Says in one line what has gone wrong, and ends with exit status 1."""
    try:
        yield
    except MemkubeError as error:
        _fail(str(error))
    except OSError as error:
        _fail(": ".join(str(part) for part in (error.filename, error.strerror or error) if part))


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """What is imported stays: to look for garbage in it, then or later, is a third of the time that starting takes."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def _declared(hint: Any) -> Any:
    return hint.__metadata__[0] if get_origin(hint) is Annotated else None


def _read(type_: Any, option: Option, text: str) -> Any:
    """The value, where it is surely what Typer would make of it."""
    if not text or text.startswith("-"):
        return None
    if get_origin(type_) is Literal:
        return text if text in get_args(type_) else None
    if type_ is str:
        return text
    if type_ is int:
        return int(text) if _number(text) and int(text) >= (option.min or 0) else None
    if type_ is float:
        return float(text) if _decimal_number(text) else None
    if type_ == Path | None:
        path = Path(text)
        return path if not path.exists() or os.access(path, os.R_OK) else None
    return None


def _end_by(error: BaseException) -> None:
    """What Typer does when a command has ended by this."""
    from typer.core import TyperCommand  # noqa: PLC0415  see the module

    def fail() -> None:
        raise error

    TyperCommand("memkube", callback=fail)(args=[], prog_name="memkube")


def _fail(message: str) -> None:
    sys.stderr.write(f"memkube: {message}\n")
    sys.exit(1)
