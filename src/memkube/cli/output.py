"""Output of commands as JSON, for programs that read it."""

import json
from typing import Annotated, Any, Literal, TypeAlias

import typer

OutputOption: TypeAlias = Annotated[
    Literal["text", "json"], typer.Option("--output", "-o", help="Output format: text for people, json for programs.")
]


def print_json(document: Any) -> None:
    """Print a document as indented JSON."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
