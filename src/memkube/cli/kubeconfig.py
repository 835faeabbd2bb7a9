"""``memkube kubeconfig``: how clients are told where the server is."""

from typing import Annotated

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.server.kubeconfig import kubeconfig_paths, kubeconfig_text, merge_kubeconfig

app = typer.Typer(add_completion=False)


@app.command()
def kubeconfig(
    context: typer.Context,
    server: ServerOption = "",
    merge: Annotated[
        bool, typer.Option("--merge", help="Put it into the first file of KUBECONFIG, or ~/.kube/config, instead.")
    ] = False,
    name: Annotated[
        str, typer.Option("--context", metavar="NAME", help="What context, cluster and user are called.")
    ] = "memkube",
    use: Annotated[bool, typer.Option(help="Whether it is the current context afterwards.")] = True,
) -> None:
    """Print a kubeconfig, or merge it into that of kubectl.

    Whether a server answers is not looked at. Merging keeps all else that is in the file, but for comments, and refuses
    a name that stands for another cluster than a memkube.

    Example::

        memkube kubeconfig --server http://127.0.0.1:8080 --merge --context test
    """
    url = ControlApi.of(server).url
    if not merge:
        typer.echo(kubeconfig_text(url, name), nl=False)
        return
    path = kubeconfig_paths(context.obj)[0]
    merge_kubeconfig(path, url, name, use=use)
    typer.echo(f'context "{name}" in {path} is {url}' + (", and the current one" if use else ""))
