"""``memkube kubeconfig``: prints a kubeconfig for a server's clients, or merges it into a kubeconfig file."""

from typing import Annotated

import typer

from memkube.cli.control_api import DEFAULT_SERVER, ControlApi, ServerOption
from memkube.server.kubeconfig import kubeconfig_paths, kubeconfig_text, merge_kubeconfig

app = typer.Typer(add_completion=False)


@app.command()
def kubeconfig(
    context: typer.Context,
    server: ServerOption = "",
    merge: Annotated[
        bool,
        typer.Option(
            "--merge", help="Merge into the first file of KUBECONFIG, or ~/.kube/config, instead of printing."
        ),
    ] = False,
    name: Annotated[
        str,
        typer.Option(
            "--context", metavar="NAME", help="Name that the context, the cluster and the user get in the kubeconfig."
        ),
    ] = "memkube",
    use: Annotated[bool, typer.Option(help="Make this context the current one.")] = True,
) -> None:
    """Print a kubeconfig, or merge it into that of kubectl.

    The server need not be running. Merging keeps the other content of the file, except comments. It fails if another
    program wrote a context, cluster or user with the same name.

    Example::

        memkube kubeconfig --server http://127.0.0.1:8080 --merge --context test
    """
    path = kubeconfig_paths(context.obj)[0]
    # With --merge, the kubeconfig may not exist yet, so it cannot name the server.
    default = DEFAULT_SERVER if merge and not path.exists() else ""
    url = ControlApi.of(server or default).url
    if not merge:
        typer.echo(kubeconfig_text(url, name), nl=False)
        return
    merge_kubeconfig(path, url, name, use=use)
    typer.echo(f'wrote context "{name}" for {url} to {path}' + (", and made it the current one" if use else ""))
