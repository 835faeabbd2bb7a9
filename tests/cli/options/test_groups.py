"""Commands whose options are grouped in dataclasses."""

from dataclasses import dataclass

import click
from click.testing import CliRunner

from memkube.cli.options.groups import listed, option, option_group


@dataclass(frozen=True, slots=True)
class Size:
    """A group of options."""

    width: int = option("Width in metres.", type=click.IntRange(1), default=1)
    is_tall: bool = option("Make it tall.", is_flag=True)
    label: tuple[str, ...] = option("Label; may be repeated.", multiple=True)
    note: str = option("Note on it.", default="")


@click.command()
@click.argument("name")
@option_group(Size, "size")
@click.option("--color", default="red")
def draw(name: str, size: Size, color: str) -> None:
    """Draw."""
    click.echo(f"{name} {size} {color}")


def test_each_field_is_an_option() -> None:
    words = ["a", "--width", "3", "--is-tall", "--label", "x", "--label", "y", "--note", "n", "--color", "blue"]
    expected = "a Size(width=3, is_tall=True, label=('x', 'y'), note='n') blue\n"
    assert CliRunner().invoke(draw, words).output == expected


def test_defaults_are_those_of_the_fields() -> None:
    assert CliRunner().invoke(draw, ["a"]).output == f"a {Size()} red\n"


def test_fields_are_checked_like_parameters() -> None:
    assert CliRunner().invoke(draw, ["a", "--width", "0"]).exit_code == 2


def test_help_shows_the_defaults_of_fields_except_empty_texts() -> None:
    shown = CliRunner().invoke(draw, ["--help"]).output
    assert "Width in metres.  [default: 1; x>=1]\n" in shown
    assert "Note on it.\n" in shown


def test_lists_may_be_repeated_and_have_commas() -> None:
    assert listed(["a,b", "c"]) == ("a", "b", "c")
    assert listed(()) == ()
