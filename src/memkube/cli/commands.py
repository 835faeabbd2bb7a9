"""Commands whose help describes their arguments as it describes their options."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

PATH: Final = click.Path(path_type=Path)
"""Type of options and arguments that are paths of files or folders."""
ANY_PATH: Final = click.Path(readable=False)
"""Type of texts that may be paths: shells complete them, and nothing is checked."""
PORT: Final = click.IntRange(0, 65535)
_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


class Argument(click.Argument):
    """An argument with a help text, which click has only since 8.5."""

    def __init__(self, *declarations: Any, about: str, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.about = about

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the argument as the usage line shows it, and its help text."""
        return " ".join(self.get_usage_pieces(ctx)), self.about + ("  [required]" if self.required else "")


class Command(click.Command):
    """A command whose help has a section for its arguments."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections of the arguments and of the options."""
        for title, kind in (("Arguments", Argument), ("Options", click.Option)):
            records = [each.get_help_record(ctx) for each in self.get_params(ctx) if isinstance(each, kind)]
            if shown := [record for record in records if record is not None]:
                with formatter.section(title):
                    formatter.write_dl(shown)


class Group(click.Group):
    """A group of commands, which its help lists in the order of their definition."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)


def argument(name: str, *, help: str, **attributes: Any) -> Callable[[_Decorated], _Decorated]:  # noqa: A002 as in click
    """Return a decorator that adds an argument to a command, as `click.argument` does, with a help text."""
    return click.argument(name, cls=Argument, about=help, **attributes)
