"""``memkube version``: the versions of memkube and of Kubernetes."""

import platform

import click

from memkube.cli.commands import Command
from memkube.cli.output import output_option, print_json
from memkube.version import KUBERNETES_VERSION, VERSION


@click.command(cls=Command)
@output_option
def version(output: str) -> None:
    """Print the versions of memkube and of Kubernetes.

    Example::

        memkube version -o json
    """
    if output == "json":
        versions = {"memkube": VERSION, "kubernetes": KUBERNETES_VERSION, "python": platform.python_version()}
        print_json({**versions, "platform": f"{platform.system()}/{platform.machine()}".lower()})
    else:
        click.echo(f"memkube {VERSION}, Kubernetes {KUBERNETES_VERSION}, Python {platform.python_version()}")
