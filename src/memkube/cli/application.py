"""The commands of ``memkube``, each imported when it is used."""

import contextlib
import gc
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer import completion
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from memkube.errors import MemkubeError
from memkube.version import KUBERNETES_VERSION, VERSION

_COMPLETE: Final = "_MEMKUBE_COMPLETE"
"""Environment variable that a shell sets when it requests completions."""


class Command(TyperCommand):
    """A command whose module is imported when the command is used, so that other commands start without this import.

    `help` is the first sentence of the command's own help, without its full stop.
    """

    def __init__(self, name: str, module: str, help: str) -> None:  # noqa: A002 - as in Typer
        super().__init__(name, help=help)
        self.module = module

    def load(self) -> Any:
        """Import the command's module, and return the Typer command."""
        command = get_command(import_module(self.module).app)
        # The imported modules live until the process ends, so the garbage collector need not scan them again.
        gc.freeze()
        gc.enable()
        _lay_out_examples(command)
        return command

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Import the command and return its context, to run it, to show its help or to complete its command line."""
        return self.load().make_context(info_name, args, parent, **extra)


COMMANDS: Final = (
    Command("serve", "memkube.cli.serve", "Run a server until it is interrupted"),
    Command("run", "memkube.cli.run", "Run a command with a server of its own"),
    Command("envtest", "memkube.cli.envtest", "Write programs for envtest, and print their folder"),
    Command("k3s", "memkube.cli.k3s", "Run a server that Testcontainers' k3s modules can start"),
    Command("kubeconfig", "memkube.cli.kubeconfig", "Print a kubeconfig, or merge it into that of kubectl"),
    Command("clock", "memkube.cli.clock", "Show or advance the clock of a server"),
    Command("nodes", "memkube.cli.nodes", "List, add, remove and drain nodes, or make them fail"),
    Command("scheduling", "memkube.cli.scheduling", "Explain which node the scheduler would choose for a pod now"),
    Command("rules", "memkube.cli.rules", "Define what simulated containers do"),
    Command("metrics", "memkube.cli.metrics", "Set custom and external metrics for autoscalers"),
    Command("services", "memkube.cli.services", "Redirect the server's calls of Services to other servers"),
    Command("requests", "memkube.cli.requests", "Print the requests that a server has received"),
    Command("audit", "memkube.cli.audit", "Print the smallest roles that allow the requests of clients"),
    Command("history", "memkube.cli.history", "Print the revisions of an object"),
    Command("faults", "memkube.cli.faults", "Inject faults into requests, watches and nodes of a server"),
    Command("play", "memkube.cli.play", "Play a scenario, and check its expectations"),
    Command("hunt", "memkube.cli.hunt", "Search for bugs in an operator by injecting faults"),
    Command("gym", "memkube.cli.gym", "Let agents repair broken clusters with kubectl"),
    Command("load", "memkube.cli.load", "Copy the objects of a live cluster into a server or a file"),
    Command("snapshot", "memkube.cli.snapshot", "Save a server's state in a file, or restore it"),
    Command("ui", "memkube.cli.ui", "Show a server, a snapshot or a hunt on a web page"),
    Command("validate", "memkube.cli.validate", "Check manifests by creating them in an empty cluster"),
    Command("diff", "memkube.cli.diff", "Compare manifests as a server would store them"),
    Command("openapi", "memkube.cli.openapi", "Write the OpenAPI documents that the server serves"),
    Command("version", "memkube.cli.version", "Print the versions of memkube and of Kubernetes"),
    Command("doctor", "memkube.cli.doctor", "Check that memkube and its clients have what they need"),
    Command("man", "memkube.cli.man", "Print the manual page of memkube"),
    Command("completion", "memkube.cli.completion", "Print a script that completes command lines in a shell"),
)
"""The commands, in the order in which ``memkube --help`` shows them."""


_HELP: Final = """A Kubernetes API server in one Python process, in memory.

Exit status: 0 for success, 1 for a failure, which is reported in one line, 2 for wrong usage. The exit status of run is
that of its command.
"""


def main(environment: Mapping[str, str]) -> None:
    """Run the command line, and exit with status 0, 1 for a failure, or 2 for wrong usage.

    ``memkube run`` exits with the status of the command that it runs, to which it passes `environment`.
    """
    if _COMPLETE in environment:
        # Called for its side effect: it registers the completion scripts of the shells that memkube supports.
        completion.get_completion_inspect_parameters()
    app = typer.Typer(add_completion=False, no_args_is_help=True)
    app.callback(help=_HELP)(_options)
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    group.commands = {str(command.name): command for command in COMMANDS}
    # The variable NO_COLOR disables colours (no-color.org). Typer itself checks whether output goes to a terminal.
    color = False if environment.get("NO_COLOR") else None
    with _failures_reported():
        group(prog_name="memkube", complete_var=_COMPLETE, obj=environment, color=color)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memkube {VERSION}, Kubernetes {KUBERNETES_VERSION}")
        raise typer.Exit


def _options(
    _: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit."),
    ] = False,
) -> None:
    """Declare the options that come before a command."""


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


def _lay_out_examples(command: Any) -> None:
    """Let Typer keep the line breaks of examples, which follow ``::`` in the help of a command and its subcommands."""
    for child in getattr(command, "commands", {}).values():
        _lay_out_examples(child)
    if command.help:
        command.help = re.sub(r"::\n\n(?= )", ":\n\n\b\n", command.help)
