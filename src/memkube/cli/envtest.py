"""``memkube envtest``: kube-apiserver, etcd and kubectl for test suites that use envtest."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

import click

from memkube.cli.commands import PATH, Command, argument
from memkube.envtest.launchers import default_folder, default_store, store_folder, write_index, write_launchers
from memkube.errors import ServerError, UsageError


@click.command(cls=Command)
@argument(
    "folder",
    metavar="[DIR]",
    type=PATH,
    required=False,
    help="Folder to write the programs into; by default one in the user's cache.",
)
@click.option(
    "--store/--no-store",
    default=None,
    help="--store: write kube-apiserver, etcd and kubectl only into the store of setup-envtest. --no-store: "
    "only into DIR. By default: into DIR; if DIR is left out, also into the store, unless the store already "
    "has Kubernetes' own programs of this release.",
)
@click.option(
    "--bin-dir", metavar="DIR", type=PATH, help="Folder of the store, as for setup-envtest --bin-dir. Implies --store."
)
@click.option(
    "--index",
    metavar="DIR",
    type=PATH,
    help="Folder to write an archive of the programs into, with an index that setup-envtest --index can read.",
)
@click.option(
    "--index-url",
    metavar="URL",
    default="http://127.0.0.1:8000",
    help="URL at which you will serve the folder of --index; the index names it.",
)
@click.pass_obj
def envtest(
    environment: Mapping[str, str],
    folder: Path | None,
    store: bool | None,
    bin_dir: Path | None,
    index: Path | None,
    index_url: str,
) -> None:
    """Write programs for envtest, and print their folder.

    kube-apiserver and etcd are scripts that start memkube, for suites that start a control plane of their own.
    kubectl is a script that runs the real kubectl on PATH; without one, it has the few commands that frameworks need.

    Example::

        KUBEBUILDER_ASSETS="$(memkube envtest)" && "$KUBEBUILDER_ASSETS/kube-apiserver" --version
    """
    if folder is not None and (store or bin_dir is not None):
        raise UsageError("choose a folder or a store of setup-envtest, not both")
    stored = store_folder(bin_dir or default_store(environment)).expanduser().absolute()
    chosen = (folder or default_folder(environment)).expanduser().absolute()
    if store or bin_dir is not None:
        chosen = stored
    elif folder is None and store is None:
        with contextlib.suppress(ServerError):
            write_launchers(stored)
    write_launchers(chosen)
    if index is not None:
        write_index(index, index_url)
    click.echo(chosen)
