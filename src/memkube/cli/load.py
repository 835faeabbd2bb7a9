"""``memkube load``: a live cluster's objects copied into a server or a snapshot file."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from memkube.cli.commands import PATH, Command, argument
from memkube.cli.control_api import ControlApi, server_option
from memkube.cli.progress import progress_bar
from memkube.errors import MemkubeError
from memkube.manifests.live_cluster import LiveCluster
from memkube.manifests.loading import Copied, CopiedKind, Progress, Wanted, copy_cluster
from memkube.snapshots.files import lines_of, write_snapshot
from memkube.snapshots.snapshot import Snapshot

_MOST_COUNTS: Final = 10


@click.command(cls=Command)
@argument(
    "file", type=PATH, required=False, help="Snapshot file to write; without it, the objects are sent to a server."
)
@click.option(
    "--from", "kubeconfig", type=PATH, help="Kubeconfig of the cluster; by default the one that kubectl uses."
)
@click.option("--context", help="Context in the kubeconfig of the cluster; by default the current one.")
@server_option
@click.option("--namespace", "-n", multiple=True, help="Copy only objects of this namespace; may be repeated.")
@click.option("--selector", "-l", help="Copy only objects whose labels match this selector, such as app=web,tier!=db.")
@click.option("--kind", multiple=True, help="Copy only this resource, such as deployments or deploy; may be repeated.")
@click.option("--with-secrets", is_flag=True, help="Copy the values of Secrets, too.")
@click.option("--with-events", is_flag=True, help="Copy events and leases, too.")
def load(
    file: Path | None,
    kubeconfig: Path | None,
    context: str | None,
    server: str,
    namespace: tuple[str, ...],
    selector: str | None,
    kind: tuple[str, ...],
    with_secrets: bool,
    with_events: bool,
) -> None:
    """Copy the objects of a live cluster into a server or a file.

    The cluster is only read. Custom objects are copied with their definitions, and objects with their namespaces. Uids,
    owners, finalizers, status and all other fields are kept; values of Secrets are masked.

    Example::

        memkube load --from ~/.kube/config --context staging --namespace default staging.jsonl
    """
    target = None if file else ControlApi.of(server)
    cluster = LiveCluster(None if kubeconfig is None else str(kubeconfig), context)
    if target is not None and target.url == cluster.url:
        raise MemkubeError(f"the target is the cluster to copy from, {cluster.url}: choose another --server")
    wanted = Wanted(namespace, selector or "", kind, with_secrets, with_events)
    with _progress() as progress:
        copied = copy_cluster(cluster, wanted, progress)
    if file is not None:
        asyncio.run(_write(copied, file))
    else:
        assert target is not None
        target.call("POST", "/objects", b"".join(lines_of(copied.snapshot())))
    _print_summary(copied, cluster.url, str(file) if file else target.url if target else "")


async def _write(copied: Copied, path: Path) -> None:
    """Write a snapshot with the objects that every new server has, such as its namespaces, and the copied objects."""
    from memkube.manifests.creation import empty_cluster  # noqa: PLC0415 - a running server needs none here

    async with empty_cluster(()) as cluster:
        saved = await cluster.with_objects(copied.snapshot().objects.objects)
    write_snapshot(Snapshot(saved, datetime.now(UTC), "real"), path)


def _print_summary(copied: Copied, source: str, target: str) -> None:
    kinds = sorted(copied.kinds.items(), key=lambda entry: -entry[1])
    counts = [f"{count} {kind}" for kind, count in kinds[:_MOST_COUNTS]]
    more = [f"{sum(count for _, count in kinds[_MOST_COUNTS:])} others"] if len(kinds) > _MOST_COUNTS else []
    click.echo(f"{len(copied.objects)} objects copied from {source} to {target}: {', '.join([*counts, *more])}")
    if orphans := copied.orphans():
        what = f"the owners of {len(orphans)} objects were not copied"
        click.echo(f"memkube: {what}: the controller garbage-collector of a server deletes such objects", err=True)
    if copied.forbidden:
        click.echo(f"memkube: not copied, because reading them is forbidden: {', '.join(copied.forbidden)}", err=True)
    if copied.left_out:
        click.echo(f"memkube: not copied, because memkube does not serve them: {', '.join(copied.left_out)}", err=True)


def _say_first(_: CopiedKind, index: int, total: int, __: int) -> None:
    if index == 0:
        click.echo(f"memkube: reading the objects of {total} kinds", err=True)


@contextmanager
def _progress() -> Iterator[Progress]:
    """Provide a callback that shows progress: with a bar on a terminal, else with a single line."""
    if not sys.stderr.isatty():
        yield _say_first
        return
    with progress_bar() as show:
        yield lambda kind, index, total, objects: show(index, total, f"{objects} objects, {kind.plural}")
