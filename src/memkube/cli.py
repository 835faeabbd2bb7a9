"""The command line: ``memkube serve`` and ``memkube run -- COMMAND``."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from memkube.app import create_registry
from memkube.controllers.available import CONTROLLERS
from memkube.controllers.manager import selected_names
from memkube.endpoints.openapi_routes import Documents, indented
from memkube.kubeconfig import write_kubeconfig
from memkube.server import Server, ServerError
from memkube.settings import Settings

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A Kubernetes API server in one Python process, in memory.",
)
_Controllers = Annotated[str, typer.Option(help="all, none, names with commas between them, or all,-NAME.")]
_Clock = Annotated[str, typer.Option(help="real, stepped, or x60 for sixty times as fast.")]


def main() -> None:
    """Runs the command line; the exit status is 0, 1 for a failure, or that of the command that `run` started."""
    app()


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 8080,
    kubeconfig: Annotated[Path | None, typer.Option(help="Where to write a kubeconfig.")] = None,
    controllers: _Controllers = "all",
    clock: _Clock = "real",
) -> None:
    """Serve until interrupted."""
    server = _server(host, port, controllers, clock)
    path = kubeconfig or Path(tempfile.gettempdir()) / f"memkube-{server.port}.kubeconfig"
    write_kubeconfig(path, server.url)
    server.run(lambda: _announce(server.url, path))


@app.command(context_settings={"allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(help="The command and its arguments, behind --.")],
    controllers: _Controllers = "all",
    clock: _Clock = "real",
) -> None:
    """Run a command with a server of its own; KUBECONFIG is set for it."""
    server = _server("127.0.0.1", 0, controllers, clock)
    with tempfile.TemporaryDirectory(prefix="memkube-") as folder, server.in_thread():
        path = Path(folder) / "kubeconfig"
        write_kubeconfig(path, server.url)
        raise typer.Exit(_exit_status(command, path))


@app.command()
def openapi(
    folder: Annotated[Path, typer.Argument(help="Where to write the documents.")],
) -> None:
    """Write the OpenAPI documents that the server serves."""
    documents = Documents(create_registry(Settings()).catalog)
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in {"swagger": documents.v2(), **documents.v3()}.items():
        (folder / f"{path.replace('/', '__')}.json").write_bytes(indented(text))


def _exit_status(command: list[str], kubeconfig: Path) -> int:
    try:
        done = subprocess.run(command, env={**os.environ, "KUBECONFIG": str(kubeconfig)}, check=False)
    except FileNotFoundError:
        typer.echo(f"memkube: {command[0]}: command not found", err=True)
        return 127
    except KeyboardInterrupt:
        return 130
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _server(host: str, port: int, controllers: str, clock: str) -> Server:
    try:
        return Server(Settings(controllers=selected_names(controllers, tuple(CONTROLLERS)), clock=clock), host, port)
    except (ServerError, ValueError) as error:
        typer.echo(f"memkube: {error}", err=True)
        raise typer.Exit(1) from None


def _announce(url: str, kubeconfig: Path) -> None:
    typer.echo(f"memkube serves Kubernetes 1.36 at {url}")
    typer.echo(f"kubeconfig: {kubeconfig}")
    typer.echo(f"export KUBECONFIG={kubeconfig}")
    sys.stdout.flush()
