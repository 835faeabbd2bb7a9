"""The commands of ``memkube``, each imported when it is used."""

import contextlib
import gc
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import cleandoc
from typing import Any, Final

import click

from memkube.cli.commands import Group
from memkube.errors import MemkubeError
from memkube.version import KUBERNETES_VERSION, VERSION


class LazyCommand(click.Command):
    """A command whose module is imported when the command is used, so that other commands start without this import.

    The module `memkube.cli.NAME` has the command NAME. `help` is the first sentence of the command's own help, without
    its full stop.
    """

    def __init__(self, name: str, help: str) -> None:  # noqa: A002 - as in click
        super().__init__(name, help=help)
        self.module = f"memkube.cli.{name}"

    def load(self) -> click.Command:
        """Import the command's module, and return the command."""
        command: click.Command = getattr(import_module(self.module), str(self.name))
        # The imported modules live until the process ends, so the garbage collector need not scan them again.
        gc.freeze()
        gc.enable()
        _lay_out_examples(command)
        return command

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> click.Context:
        """Import the command and return its context, to run it, to show its help or to complete its command line."""
        return self.load().make_context(info_name, args, parent, **extra)


COMMANDS: Final = (
    LazyCommand("serve", "Run a server until it is interrupted"),
    LazyCommand("run", "Run a command with a server of its own"),
    LazyCommand("envtest", "Write programs for envtest, and print their folder"),
    LazyCommand("k3s", "Run a server that Testcontainers' k3s modules can start"),
    LazyCommand("kubeconfig", "Print a kubeconfig, or merge it into that of kubectl"),
    LazyCommand("clock", "Show or advance the clock of a server"),
    LazyCommand("nodes", "List, add, remove and drain nodes, or make them fail"),
    LazyCommand("scheduling", "Explain which node the scheduler would choose for a pod now"),
    LazyCommand("rules", "Define what simulated containers do"),
    LazyCommand("metrics", "Set custom and external metrics for autoscalers"),
    LazyCommand("services", "Redirect the server's calls of Services to other servers"),
    LazyCommand("requests", "Print the requests that a server has received"),
    LazyCommand("audit", "Print the smallest roles that allow the requests of clients"),
    LazyCommand("history", "Print the revisions of an object"),
    LazyCommand("faults", "Inject faults into requests, watches and nodes of a server"),
    LazyCommand("play", "Play a scenario, and check its expectations"),
    LazyCommand("hunt", "Search for bugs in an operator by injecting faults"),
    LazyCommand("gym", "Let agents repair broken clusters with kubectl"),
    LazyCommand("load", "Copy the objects of a live cluster into a server or a file"),
    LazyCommand("snapshot", "Save a server's state in a file, or restore it"),
    LazyCommand("ui", "Show a server, a snapshot or a hunt on a web page"),
    LazyCommand("validate", "Check manifests by creating them in an empty cluster"),
    LazyCommand("diff", "Compare manifests as a server would store them"),
    LazyCommand("openapi", "Write the OpenAPI documents that the server serves"),
    LazyCommand("version", "Print the versions of memkube and of Kubernetes"),
    LazyCommand("doctor", "Check that memkube and its clients have what they need"),
    LazyCommand("man", "Print the manual page of memkube"),
    LazyCommand("completion", "Print a script that completes command lines in a shell"),
)
"""The commands, in the order in which ``memkube --help`` shows them."""


class Program(Group):
    """The command ``memkube``."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. If it is interrupted, exit with status 130 as shells expect, where click exits with 1."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(130)


@click.group("memkube", Program, commands=COMMANDS, context_settings={"show_default": True})
@click.version_option(
    f"{VERSION}, Kubernetes {KUBERNETES_VERSION}", message="memkube %(version)s", help="Print the version and exit."
)
def program() -> None:
    """A Kubernetes API server in one Python process, in memory.

    Exit status: 0 for success, 1 for a failure, which is reported in one line, 2 for wrong usage. The exit status of
    run is that of its command.
    """


def main(environment: Mapping[str, str]) -> None:
    """Run the command line, and exit with status 0, 1 for a failure, or 2 for wrong usage.

    ``memkube run`` exits with the status of the command that it runs, to which it passes `environment`.
    """
    # The variable NO_COLOR disables colours (no-color.org). click itself checks whether output goes to a terminal.
    color = False if environment.get("NO_COLOR") else None
    with _failures_reported():
        program(prog_name="memkube", complete_var="_MEMKUBE_COMPLETE", obj=environment, color=color)


@contextlib.contextmanager
def _failures_reported() -> Iterator[None]:
    """Report an error that the ``with`` block raises (MemkubeError, OSError) in one line, and exit with status 1."""
    try:
        yield
    except MemkubeError as error:
        _fail(str(error))
    except OSError as error:
        _fail(": ".join(str(part) for part in (error.filename, error.strerror or error) if part))


def _fail(message: str) -> None:
    sys.stderr.write(f"memkube: {message}\n")
    sys.exit(1)


def _lay_out_examples(command: click.Command) -> None:
    """Let click keep the line breaks of examples, which follow ``::`` in the help of a command and its subcommands."""
    for child in getattr(command, "commands", {}).values():
        _lay_out_examples(child)
    if command.help:
        command.help = re.sub(r"::\n\n(?= )", ":\n\n\b\n", cleandoc(command.help))
