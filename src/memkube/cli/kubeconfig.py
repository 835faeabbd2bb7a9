"""``memkube kubeconfig``: prints a kubeconfig for a server's clients, or merges it into a kubeconfig file."""

from collections.abc import Mapping

import click

from memkube.cli.commands import Command
from memkube.cli.control_api import DEFAULT_SERVER, ControlApi, server_option
from memkube.server.kubeconfig import kubeconfig_paths, kubeconfig_text, merge_kubeconfig


@click.command(cls=Command)
@server_option
@click.option(
    "--merge", is_flag=True, help="Merge into the first file of KUBECONFIG, or ~/.kube/config, instead of printing."
)
@click.option(
    "--context",
    "name",
    metavar="NAME",
    default="memkube",
    help="Name that the context, the cluster and the user get in the kubeconfig.",
)
@click.option("--use/--no-use", default=True, help="Make this context the current one.")
@click.pass_obj
def kubeconfig(environment: Mapping[str, str], server: str, merge: bool, name: str, use: bool) -> None:
    """Print a kubeconfig, or merge it into that of kubectl.

    The server need not be running. Merging keeps the other content of the file, except comments. It fails if another
    program wrote a context, cluster or user with the same name.

    Example::

        memkube kubeconfig --server http://127.0.0.1:8080 --merge --context test
    """
    path = kubeconfig_paths(environment)[0]
    # With --merge, the kubeconfig may not exist yet, so it cannot name the server.
    default = DEFAULT_SERVER if merge and not path.exists() else ""
    url = ControlApi.of(server or default).url
    if not merge:
        click.echo(kubeconfig_text(url, name), nl=False)
        return
    merge_kubeconfig(path, url, name, use=use)
    click.echo(f'wrote context "{name}" for {url} to {path}' + (", and made it the current one" if use else ""))
