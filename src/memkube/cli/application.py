"""The commands that there are, each imported when it is asked for."""

import contextlib
import gc
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from memkube.errors import MemkubeError


class Command(TyperCommand):
    """Stands for a command whose module is not imported yet.

    `help` is the first sentence of the command's own help, without its full stop.
    """

    def __init__(self, name: str, module: str, help: str) -> None:  # noqa: A002 - as in Typer
        super().__init__(name, help=help)
        self.module = module

    def load(self) -> Any:
        """The command itself."""
        with _without_collection():
            return get_command(import_module(self.module).app)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """What Typer asks for when the command is to be run, described or completed."""
        return self.load().make_context(info_name, args, parent, **extra)


COMMANDS: Final = (
    Command("serve", "memkube.cli.serve", "Serve until interrupted"),
    Command("run", "memkube.cli.run", "Run a command with a server of its own; KUBECONFIG is set for it"),
    Command("openapi", "memkube.cli.openapi", "Write the OpenAPI documents that the server serves"),
)
"""In the order in which ``memkube --help`` shows them."""


def main(environment: Mapping[str, str]) -> None:
    """Runs the command line; the exit status is 0, 1 for a failure, 2 for wrong usage, or that of ``run``'s command.

    `environment` is that command's.
    """
    group = TyperGroup(
        name="memkube",
        commands=COMMANDS,
        no_args_is_help=True,
        help="A Kubernetes API server in one Python process, in memory.",
    )
    try:
        group(prog_name="memkube", complete_var="_MEMKUBE_COMPLETE", obj=environment)
    except MemkubeError as error:
        typer.echo(f"memkube: {error}", err=True)
        sys.exit(1)


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """What is imported stays: to look for garbage in it, then or later, is a third of the time that starting takes."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()
