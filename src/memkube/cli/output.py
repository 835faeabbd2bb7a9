"""How commands print what programs read."""

import json
from typing import Annotated, Any, Literal, TypeAlias

import typer

OutputOption: TypeAlias = Annotated[Literal["text", "json"], typer.Option("--output", "-o", help="text or json.")]


def print_json(document: Any) -> None:
    """Prints a document for programs, and for people who must read it."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
