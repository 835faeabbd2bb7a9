"""``memkube load``: a live cluster's objects copied into a server or a snapshot file."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from memkube.cli.control_api import ControlApi, ServerOption
from memkube.errors import MemkubeError
from memkube.manifests.live_cluster import LiveCluster
from memkube.manifests.loading import Copied, CopiedKind, Progress, Wanted, copy_cluster
from memkube.snapshots.files import lines_of, write_snapshot
from memkube.snapshots.snapshot import Snapshot

app = typer.Typer(add_completion=False)
_MOST_TOLD: Final = 10


@app.command()
def load(
    file: Annotated[
        Path | None, typer.Argument(help="A snapshot file to write; without one, a server takes the objects.")
    ] = None,
    kubeconfig: Annotated[
        Path | None, typer.Option("--from", help="The cluster's kubeconfig; else the one that kubectl would take.")
    ] = None,
    context: Annotated[
        str | None, typer.Option("--context", help="Which of its contexts; else the current one.")
    ] = None,
    server: ServerOption = "",
    namespace: Annotated[
        list[str] | None,
        typer.Option("--namespace", "-n", help="Copy what is in this namespace alone; may be repeated."),
    ] = None,
    selector: Annotated[str, typer.Option("--selector", "-l", help="Copy what has such labels, as for kubectl.")] = "",
    kind: Annotated[
        list[str] | None, typer.Option(help="Copy this kind alone, by any name kubectl has for it; may be repeated.")
    ] = None,
    with_secrets: Annotated[bool, typer.Option("--with-secrets", help="Copy the values of Secrets, too.")] = False,
    with_events: Annotated[bool, typer.Option("--with-events", help="Copy events and leases, too.")] = False,
) -> None:
    """Copy a live cluster's objects into a server or a file.

    The cluster is only read. Custom kinds come with their definitions, objects with their namespaces. Uids, owners,
    finalizers, status and all else stay as they are; values of Secrets are masked.

    Example::

        memkube load --from ~/.kube/config --context staging --namespace default staging.jsonl
    """
    target = None if file else ControlApi.of(server)
    cluster = LiveCluster(None if kubeconfig is None else str(kubeconfig), context)
    if target is not None and target.url == cluster.url:
        raise MemkubeError(f"{cluster.url} is where the objects come from: --server names where they go to")
    wanted = Wanted(tuple(namespace or ()), selector, tuple(kind or ()), with_secrets, with_events)
    with _progress() as progress:
        copied = copy_cluster(cluster, wanted, progress)
    if file is not None:
        asyncio.run(_write(copied, file))
    else:
        assert target is not None
        target.call("POST", "/objects", b"".join(lines_of(copied.snapshot())))
    _tell(copied, cluster.url, str(file) if file else target.url if target else "")


async def _write(copied: Copied, path: Path) -> None:
    """Writes the snapshot of a server that has nothing but what was copied and what each server has."""
    from memkube.manifests.creation import empty_cluster  # noqa: PLC0415 - a running server needs none here

    async with empty_cluster(()) as cluster:
        saved = await cluster.with_objects(copied.snapshot().objects.objects)
    write_snapshot(Snapshot(saved, datetime.now(UTC), "real"), path)


def _tell(copied: Copied, source: str, target: str) -> None:
    kinds = sorted(copied.kinds.items(), key=lambda one: -one[1])
    told = [f"{count} {kind}" for kind, count in kinds[:_MOST_TOLD]]
    more = [f"{sum(count for _, count in kinds[_MOST_TOLD:])} others"] if len(kinds) > _MOST_TOLD else []
    typer.echo(f"{len(copied.objects)} objects copied from {source} to {target}: {', '.join([*told, *more])}")
    if orphans := copied.orphans():
        what = f"the owners of {len(orphans)} objects were not copied"
        typer.echo(f"memkube: {what}: a server with the controller garbage-collector deletes those", err=True)
    if copied.forbidden:
        typer.echo(f"memkube: left out, as one may not read them: {', '.join(copied.forbidden)}", err=True)
    if copied.left_out:
        typer.echo(f"memkube: left out, as memkube does not keep them: {', '.join(copied.left_out)}", err=True)


def _say_first(_: CopiedKind, place: int, total: int, __: int) -> None:
    if place == 0:
        typer.echo(f"memkube: reading the objects of {total} kinds", err=True)


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar on a terminal, else a line."""
    if not sys.stderr.isatty():
        yield _say_first
        return
    from rich.console import Console  # noqa: PLC0415 - for terminals
    from rich.progress import Progress as Bar  # noqa: PLC0415 - as above

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def show(kind: CopiedKind, place: int, total: int, objects: int) -> None:
            bar.update(task, completed=place, total=total, description=f"{objects} objects, {kind.plural}")

        yield show
