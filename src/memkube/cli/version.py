"""``memkube version``: the versions of memkube and of Kubernetes."""

import platform

import typer

from memkube.cli.output import OutputOption, print_json
from memkube.version import KUBERNETES_VERSION, VERSION

app = typer.Typer(add_completion=False)


@app.command()
def version(output: OutputOption = "text") -> None:
    """Print the versions of memkube and of Kubernetes.

    Example::

        memkube version -o json
    """
    if output == "json":
        versions = {"memkube": VERSION, "kubernetes": KUBERNETES_VERSION, "python": platform.python_version()}
        print_json({**versions, "platform": f"{platform.system()}/{platform.machine()}".lower()})
    else:
        typer.echo(f"memkube {VERSION}, Kubernetes {KUBERNETES_VERSION}, Python {platform.python_version()}")
