"""``memkube run -- COMMAND``: a server that stops when the command ends."""

import contextlib
import signal
import subprocess
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Annotated

import typer

from memkube.cli.logs import LogFormat, configure_logging
from memkube.cli.options.cluster import ClusterOptions
from memkube.cli.options.groups import with_option_groups
from memkube.cli.options.storage import EngineOptions
from memkube.cli.server import open_server, own_kubeconfig
from memkube.server.kubeconfig import write_kubeconfig

app = typer.Typer(add_completion=False)


@app.command(context_settings={"allow_interspersed_args": False})
@with_option_groups
def run(
    *,
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(help="The command and its arguments, after --.")],
    cluster: ClusterOptions,
    engine: EngineOptions,
    log_format: LogFormat = "text",
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
        raise typer.Exit(_exit_status(command, {**context.obj, **variables}))


def _exit_status(command: list[str], environment: Mapping[str, str]) -> int:
    """Run the command, and return its exit status: 127 if it is not found, 128 plus the signal that ended it."""
    try:
        process = subprocess.Popen(command, env=environment)
    except FileNotFoundError:
        typer.echo(f"memkube: {command[0]}: command not found", err=True)
        return 127
    except PermissionError as error:
        typer.echo(f"memkube: {command[0]}: {error.strerror}", err=True)
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
