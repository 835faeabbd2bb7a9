"""``memkube man``: the manual page, made from the helps of all commands."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from inspect import cleandoc
from typing import Any

import click

from memkube.cli.commands import Command
from memkube.version import KUBERNETES_VERSION, VERSION


@click.command(cls=Command)
@click.pass_context
def man(context: click.Context) -> None:
    """Print the manual page of memkube.

    Example::

        mkdir -p ~/.local/share/man/man1 && memkube man > ~/.local/share/man/man1/memkube.1
    """
    click.echo("\n".join(manual_page(context.find_root())))


def manual_page(program: Any) -> Iterator[str]:
    """Return the lines of the manual page in roff, with the macros of man(7); `program` is click's root context."""
    today = datetime.now(UTC)
    yield f'.TH MEMKUBE 1 "{today:%Y-%m-%d}" "memkube {VERSION}" "memkube, Kubernetes {KUBERNETES_VERSION}"'
    summary, _, more = cleandoc(program.command.help).partition("\n\n")
    yield from (
        ".SH NAME",
        rf"memkube \- {_text(summary.removesuffix('.'))}",
        ".SH SYNOPSIS",
        r".B memkube",
        "[OPTIONS] COMMAND [ARGS]...",
    )
    yield from (".SH DESCRIPTION", *_paragraphs(more), ".SH OPTIONS", *_parameters(program))
    yield ".SH COMMANDS"
    for name in program.command.list_commands(program):
        yield from _command(program, name, f"memkube {name}")


def _command(parent: Any, name: str, title: str) -> Iterator[str]:
    command = parent.command.get_command(parent, name)
    command = command.load() if hasattr(command, "load") else command
    context = click.Context(command, info_name=name, parent=parent)
    yield f".SS {_text(title)}"
    yield rf"\fB{_text(title)}\fR {_text(' '.join(command.collect_usage_pieces(context)))}"
    yield ".PP"
    yield from _paragraphs(cleandoc(command.help or ""))
    yield from _parameters(context)
    for inner in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from _command(context, inner, f"{title} {inner}")


def _parameters(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        record: Sequence[str] | None = parameter.get_help_record(context)
        if record is not None:
            yield from (".TP", rf"\fB{_text(record[0])}\fR", _text(record[1]))


def _paragraphs(text: str) -> Iterator[str]:
    """Return the paragraphs of a help text. An indented paragraph, such as an example, keeps its line breaks."""
    for paragraph in text.split("\n\n"):
        lines = paragraph.replace("\b\n", "").splitlines()
        if lines and all(line.startswith("    ") for line in lines):
            yield from (".EX", *(_text(line) for line in lines), ".EE")
        else:
            yield _text(" ".join(line.removesuffix("::") + ":" * line.endswith("::") for line in lines))
        yield ".PP"


def _text(text: str) -> str:
    """Return text as roff, with its special characters escaped."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    escaped = "".join(char if char.isascii() else rf"\[u{ord(char):04X}]" for char in escaped)
    return rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped
