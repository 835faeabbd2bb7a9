"""``memkube diff OLD NEW``: manifests and snapshots compared as a server would store them."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final, NoReturn

import click

from memkube.cli.commands import ANY_PATH, Command, argument
from memkube.cli.output import output_option, print_json
from memkube.errors import ManifestError
from memkube.manifests.comparison import Difference, Side, brief, differences, reduce_to_common
from memkube.manifests.sides import (
    is_snapshot,
    read_sources,
    side_as_stored,
    side_as_written,
    side_of_snapshot,
    without_made,
)

_DIFFERENT: Final = 1
_NOT_RUN: Final = 2
_COLORS: Final = (
    ("diff ", "\x1b[1m"),
    ("+++", "\x1b[1m"),
    ("---", "\x1b[1m"),
    ("@@", "\x1b[36m"),
    ("+", "\x1b[32m"),
    ("-", "\x1b[31m"),
)
_PLAIN: Final = "\x1b[0m"
_compared = partial(argument, type=ANY_PATH, help="A file, a folder, a snapshot, or - for standard input.")


@click.command(cls=Command)
@_compared("old")
@_compared("new")
@click.option("--raw", is_flag=True, help="Compare the files as they are, without the defaults that a server sets.")
@click.option("--brief", "short", is_flag=True, help="Print only the names of the objects that differ.")
@click.option("--with-secrets", is_flag=True, help="Show the values of Secrets.")
@click.option("--namespace", "-n", default="default", help="Namespace of objects whose manifests have none.")
@output_option
def diff(old: str, new: str, raw: bool, short: bool, with_secrets: bool, namespace: str, output: str) -> None:
    """Compare manifests as a server would store them.

    Objects are matched by kind, namespace and name, whatever their files are called. Defaults that the server sets are
    not differences. The exit status is 0 if both sides are equal, 1 if they differ, 2 if they cannot be compared.

    Example::

        memkube diff ../main/deploy deploy
    """
    try:
        sides = [_side(path, namespace, raw=raw) for path in (old, new)]
    except (ManifestError, OSError) as error:
        _stop(str(error))
    if not raw:
        _make_comparable(sides)
    unknown = sorted(sides[0].unknown | sides[1].unknown)
    if unknown:
        click.echo(
            f"memkube: compared as written, because no definition of their kind was given: {', '.join(unknown)}",
            err=True,
        )
    found = list(differences(*sides, secrets=with_secrets))
    if output == "json":
        print_json([_document(difference, brief=short) for difference in found])
        sys.exit(_DIFFERENT if found else 0)
    for line in brief(found) if short else _lines(found, colors=sys.stdout.isatty()):
        click.echo(line)
    sys.exit(_DIFFERENT if found else 0)


def _side(path: str, namespace: str, *, raw: bool) -> Side:
    """Read the manifests or the snapshot at `path`, which is one side of the comparison.

    Raises OSError if a file cannot be read, and ManifestError if a manifest is invalid or a server would refuse it.
    """
    if is_snapshot(path):
        return side_of_snapshot(path)
    read = read_sources(path, sys.stdin)
    if raw:
        return side_as_written(read)
    try:
        return asyncio.run(side_as_stored(read, namespace))
    except ManifestError as error:
        raise ManifestError(f"{error} (--raw compares the files as they are)") from None


def _make_comparable(sides: Sequence[Side]) -> None:
    old, new = sides
    if old.keeps_status != new.keeps_status:
        asyncio.run(without_made(old if old.keeps_status else new))
    reduce_to_common(old, new)


def _lines(found: Sequence[Difference], *, colors: bool) -> Sequence[str]:
    lines = [line for difference in found for line in difference.lines]
    return [_colored(line) for line in lines] if colors else lines


def _document(difference: Difference, *, brief: bool) -> dict[str, Any]:
    """Return a difference as JSON data. If `brief` is true, the lines that differ are left out."""
    change = {"+": "added", "-": "removed", "~": "changed"}[difference.sign]
    document = {"change": change, **asdict(difference.identity)}
    return document if brief else {**document, "diff": list(difference.lines[1:])}


def _colored(line: str) -> str:
    color = next((color for start, color in _COLORS if line.startswith(start)), "")
    return f"{color}{line}{_PLAIN}" if color else line


def _stop(why: str) -> NoReturn:
    click.echo(f"memkube: {why}", err=True)
    sys.exit(_NOT_RUN)
