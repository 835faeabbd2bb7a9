"""The commands that there are, each imported when it is asked for."""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from typer import completion
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from memkube.cli.plain import COMPLETE, PlainCommand, failures_told, without_collection


class Command(TyperCommand):
    """Stands for a command whose module is not imported yet.

    `help` is the first sentence of the command's own help, without its full stop.
    """

    def __init__(self, name: str, module: str, help: str) -> None:  # noqa: A002 - as in Typer
        super().__init__(name, help=help)
        self.module = module

    def load(self) -> Any:
        """The command itself."""
        with without_collection():
            app = import_module(self.module).app
            command = get_command(app.typed() if isinstance(app, PlainCommand) else app)
        _lay_out_examples(command)
        return command

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """What Typer asks for when the command is to be run, described or completed."""
        return self.load().make_context(info_name, args, parent, **extra)


COMMANDS: Final = (
    Command("serve", "memkube.cli.serve", "Serve until interrupted"),
    Command("run", "memkube.cli.run", "Run a command with a server of its own"),
    Command("kubeconfig", "memkube.cli.kubeconfig", "Print a kubeconfig, or merge it into that of kubectl"),
    Command("clock", "memkube.cli.clock", "Show a server's clock, or move it on"),
    Command("requests", "memkube.cli.requests", "Print what a server was asked, by whom, and how it answered"),
    Command("history", "memkube.cli.history", "Print what has become of an object"),
    Command("faults", "memkube.cli.faults", "Have requests, watches and nodes of a server fail"),
    Command("load", "memkube.cli.load", "Copy a live cluster's objects into a server or a file"),
    Command("snapshot", "memkube.cli.snapshot", "Save a server's state in a file, or restore it"),
    Command("validate", "memkube.cli.validate", "Check manifests by creating them in an empty cluster"),
    Command("diff", "memkube.cli.diff", "Compare manifests as a server would store them"),
    Command("openapi", "memkube.cli.openapi", "Write the OpenAPI documents that the server serves"),
    Command("version", "memkube.cli.version", "Print which memkube this is, and which Kubernetes it is like"),
    Command("doctor", "memkube.cli.doctor", "Look whether memkube and its clients have what they need"),
    Command("completion", "memkube.cli.completion", "Print a script that completes command lines in a shell"),
)
"""In the order in which ``memkube --help`` shows them."""


_HELP: Final = """A Kubernetes API server in one Python process, in memory.

Exit status: 0 if all went well, 1 for a failure, which is said in one line, 2 for wrong usage. That of run is its
command's.
"""


def main(environment: Mapping[str, str]) -> None:
    """Runs the command line; the exit status is 0, 1 for a failure, 2 for wrong usage, or that of ``run``'s command.

    `environment` is that command's.
    """
    if COMPLETE in environment:
        # Makes the shells known.
        completion.get_completion_inspect_parameters()
    group = TyperGroup(name="memkube", commands=COMMANDS, no_args_is_help=True, help=_HELP)
    # See no-color.org; whether there is a terminal is looked at elsewhere.
    color = False if environment.get("NO_COLOR") else None
    with failures_told():
        group(prog_name="memkube", complete_var=COMPLETE, obj=environment, color=color)


def _lay_out_examples(command: Any) -> None:
    """Keeps the lines of what stands behind ``::`` in a docstring as they are."""
    for child in getattr(command, "commands", {}).values():
        _lay_out_examples(child)
    if command.help:
        command.help = re.sub(r"::\n\n(?= )", ":\n\n\b\n", command.help)
