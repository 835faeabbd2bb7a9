"""Commands with help for their arguments."""

import click
from click.testing import CliRunner

from memkube.cli.commands import Command, Group, argument


@click.group(cls=Group)
def choir() -> None:
    """Sing."""


@choir.command()
@argument("song", help="Name of the song.")
@argument("singers", nargs=-1, help="Names of the singers.")
@click.option("--loud", is_flag=True, help="Sing it loudly.")
def sing(song: str, singers: tuple[str, ...], loud: bool) -> None:
    """Sing a song."""
    click.echo(f"{song} {singers} {loud}")


@choir.command(cls=Command)
def hum() -> None:
    """Hum."""


def _output(*words: str) -> str:
    return CliRunner().invoke(choir, words).output


def test_help_describes_arguments_before_options() -> None:
    section = (
        "Arguments:\n  SONG          Name of the song.  [required]\n  [SINGERS]...  Names of the singers.\n\nOptions:\n"
    )
    assert section in _output("sing", "--help")


def test_a_command_without_arguments_has_no_such_section() -> None:
    assert "Arguments:" not in _output("hum", "--help")


def test_arguments_are_parsed() -> None:
    assert _output("sing", "yesterday", "john", "paul") == "yesterday ('john', 'paul') False\n"


def test_commands_are_listed_in_the_order_of_their_definition() -> None:
    assert _output("--help").index("  sing") < _output("--help").index("  hum")
