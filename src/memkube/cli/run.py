"""``memkube run -- COMMAND``: a server that stops when the command ends."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType

import click

from memkube.cli.commands import ANY_PATH, Command, argument
from memkube.cli.logs import configure_logging, log_format_option
from memkube.cli.options.cluster import ClusterOptions
from memkube.cli.options.groups import option_group
from memkube.cli.options.storage import EngineOptions
from memkube.cli.server import open_server, own_kubeconfig
from memkube.server.kubeconfig import write_kubeconfig


@click.command(cls=Command, context_settings={"allow_interspersed_args": False})
@argument("command", nargs=-1, required=True, type=ANY_PATH, help="The command and its arguments, after --.")
@option_group(ClusterOptions, "cluster")
@option_group(EngineOptions, "engine")
@log_format_option
@click.pass_obj
def run(
    environment: Mapping[str, str],
    command: tuple[str, ...],
    cluster: ClusterOptions,
    engine: EngineOptions,
    log_format: str,
) -> None:
    """Run a command with a server of its own.

    The environment of the command has KUBECONFIG and MEMKUBE_SERVER. The server stops when the command ends, and
    memkube exits with the command's exit status.

    Example::

        memkube run --nodes 3 -- kubectl get nodes
    """
    configure_logging(log_format)
    server = open_server(lambda: cluster.settings(engine.settings()))
    with own_kubeconfig() as path, server.in_thread():
        write_kubeconfig(path, server.url)
        variables = {"KUBECONFIG": str(path), "MEMKUBE_SERVER": server.url}
        sys.exit(_exit_status(command, {**environment, **variables}))


def _exit_status(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the command, and return its exit status: 127 if it is not found, 128 plus the signal that ended it."""
    try:
        process = subprocess.Popen(command, env=environment)
    except FileNotFoundError:
        click.echo(f"memkube: {command[0]}: command not found", err=True)
        return 127
    except PermissionError as error:
        click.echo(f"memkube: {command[0]}: {error.strerror}", err=True)
        return 126
    with _signals_passed_on(process):
        status = process.wait()
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def _signals_passed_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Pass SIGTERM and SIGHUP on to the command, and ignore SIGINT, which a terminal sends to the command as well."""

    def pass_on(number: int, _: FrameType | None) -> None:
        process.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
