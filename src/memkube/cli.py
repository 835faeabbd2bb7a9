"""The command line: ``memkube serve`` and ``memkube run -- COMMAND``."""

import asyncio
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from memkube.admission.available import DEFAULT_PLUGINS, PLUGINS, selected_plugins
from memkube.apimachinery.duration import parse_duration
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.app import create_registry
from memkube.controllers.available import CONTROLLERS
from memkube.controllers.manager import selected_names
from memkube.controllers.options import ControllerOptions
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
_Nodes = Annotated[int, typer.Option(help="How many nodes are simulated.")]
_Zones = Annotated[int, typer.Option(help="How many zones the nodes are spread over.")]
_OTHER_PLUGINS = ", ".join(name for name in PLUGINS if name not in DEFAULT_PLUGINS)
_Enabled = Annotated[str, typer.Option(help=f"Admission plugins to add, with commas between them: {_OTHER_PLUGINS}.")]
_Disabled = Annotated[
    str,
    typer.Option(help=f"Admission plugins to leave out, with commas between them: {', '.join(DEFAULT_PLUGINS)}."),
]
_Clock = Annotated[str, typer.Option(help="real, stepped, or x60 for sixty times as fast.")]
_Issuers = Annotated[list[str] | None, typer.Option(help="Who issues tokens; the first signs, all are believed.")]
_SigningKey = Annotated[Path | None, typer.Option(help="Private key in PEM that signs tokens; made if not given.")]
_Keys = Annotated[list[Path] | None, typer.Option(help="Files with keys in PEM by which tokens are verified.")]
_Audiences = Annotated[
    str, typer.Option(help="What tokens call this server, with commas between; the issuers if empty.")
]
_Extends = Annotated[Literal["true", "false"], typer.Option(help="Whether tokens in pods outlive what was asked for.")]
_Longest = Annotated[str, typer.Option(help="How long tokens are valid at most, such as 24h; 0 is no bound.")]
_JwksUri = Annotated[str, typer.Option(help="Where the keys are published, if not at this server.")]


def main(environment: Mapping[str, str]) -> None:
    """Runs the command line; the exit status is 0, 1 for a failure, or that of the command that `run` started.

    `environment` is that command's.
    """
    app(obj=environment)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 8080,
    kubeconfig: Annotated[Path | None, typer.Option(help="Where to write a kubeconfig.")] = None,
    controllers: _Controllers = "all",
    clock: _Clock = "real",
    nodes: _Nodes = 1,
    zones: _Zones = 1,
    enable_admission_plugins: _Enabled = "",
    disable_admission_plugins: _Disabled = "",
    service_account_issuer: _Issuers = None,
    service_account_signing_key_file: _SigningKey = None,
    service_account_key_file: _Keys = None,
    service_account_extend_token_expiration: _Extends = "true",
    service_account_max_token_expiration: _Longest = "0",
    service_account_jwks_uri: _JwksUri = "",
    api_audiences: _Audiences = "",
) -> None:
    """Serve until interrupted."""
    plugins = (enable_admission_plugins, disable_admission_plugins)

    def settings() -> Settings:
        tokens = TokenOptions(
            issuers=tuple(service_account_issuer or TokenOptions().issuers),
            api_audiences=tuple(filter(None, api_audiences.split(","))),
            signing_key_file=service_account_signing_key_file,
            key_files=tuple(service_account_key_file or ()),
            extend_expiration=service_account_extend_token_expiration == "true",
            max_expiration=int(parse_duration(service_account_max_token_expiration)),
            jwks_uri=service_account_jwks_uri,
        )
        return _settings(controllers, clock, nodes, zones, plugins, tokens)

    server = _server(settings, host, port)
    with contextlib.nullcontext(kubeconfig) if kubeconfig else _own_kubeconfig() as path:
        write_kubeconfig(path, server.url)
        server.run(lambda: _announce(server.url, path))


@app.command(context_settings={"allow_interspersed_args": False})
def run(
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(help="The command and its arguments, behind --.")],
    controllers: _Controllers = "all",
    clock: _Clock = "real",
    nodes: _Nodes = 1,
    zones: _Zones = 1,
    enable_admission_plugins: _Enabled = "",
    disable_admission_plugins: _Disabled = "",
) -> None:
    """Run a command with a server of its own; KUBECONFIG is set for it."""
    plugins = (enable_admission_plugins, disable_admission_plugins)
    server = _server(lambda: _settings(controllers, clock, nodes, zones, plugins, TokenOptions()), "127.0.0.1", 0)
    with _own_kubeconfig() as path, server.in_thread():
        write_kubeconfig(path, server.url)
        raise typer.Exit(_exit_status(command, {**context.obj, "KUBECONFIG": str(path)}))


@app.command()
def openapi(
    folder: Annotated[Path, typer.Argument(help="Where to write the documents.")],
) -> None:
    """Write the OpenAPI documents that the server serves."""
    from memkube.endpoints.openapi_documents import Documents, indented  # noqa: PLC0415  servers start without it

    documents = Documents(create_registry(Settings()).catalog)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"swagger": asyncio.run(documents.v2()).text, **asyncio.run(documents.texts())}
    for path, text in texts.items():
        (folder / f"{path.replace('/', '__')}.json").write_bytes(indented(text))


@contextlib.contextmanager
def _own_kubeconfig() -> Iterator[Path]:
    """A path in a folder that nobody else can write to, gone with the server."""
    with tempfile.TemporaryDirectory(prefix="memkube-") as folder:
        yield Path(folder) / "kubeconfig"


def _exit_status(command: list[str], environment: Mapping[str, str]) -> int:
    try:
        done = subprocess.run(command, env=environment, check=False)
    except FileNotFoundError:
        typer.echo(f"memkube: {command[0]}: command not found", err=True)
        return 127
    except KeyboardInterrupt:
        return 130
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _settings(
    controllers: str, clock: str, nodes: int, zones: int, plugins: tuple[str, str], tokens: TokenOptions
) -> Settings:
    """Raises ValueError with one line for a choice that there is not."""
    return Settings(
        controllers=selected_names(controllers, tuple(CONTROLLERS)),
        controller_options=ControllerOptions(nodes=nodes, zones=zones),
        clock=clock,
        admission_plugins=selected_plugins(*plugins),
        tokens=tokens,
    )


def _server(settings: Callable[[], Settings], host: str, port: int) -> Server:
    try:
        return Server(settings(), host, port)
    except (ServerError, ValueError) as error:
        typer.echo(f"memkube: {error}", err=True)
        raise typer.Exit(1) from None


def _announce(url: str, kubeconfig: Path) -> None:
    typer.echo(f"memkube serves Kubernetes 1.36 at {url}")
    typer.echo(f"kubeconfig: {kubeconfig}")
    typer.echo(f"export KUBECONFIG={kubeconfig}")
    sys.stdout.flush()
