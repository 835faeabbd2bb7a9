"""Output of commands as JSON, for programs that read it."""

import json
from typing import Any

import click

output_option = click.option(
    "--output",
    "-o",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Output format: text for people, json for programs.",
)


def print_json(document: Any) -> None:
    """Print a document as indented JSON."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))
