"""Commands whose options are grouped in dataclasses."""

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from memkube.cli.options.groups import listed, with_option_groups


@dataclass(frozen=True, slots=True)
class Size:
    """A group of options."""

    width: Annotated[int, typer.Option(min=1)] = 1
    tall: Annotated[bool, typer.Option("--tall")] = False


app = typer.Typer()


@app.command()
@with_option_groups
def draw(*, name: Annotated[str, typer.Argument()], size: Size, color: str = "red") -> None:
    """Draw."""
    typer.echo(f"{name} {size} {color}")


def test_each_field_is_an_option() -> None:
    done = CliRunner().invoke(app, ["a", "--width", "3", "--tall", "--color", "blue"])
    assert done.output == "a Size(width=3, tall=True) blue\n"


def test_defaults_are_those_of_the_fields() -> None:
    assert CliRunner().invoke(app, ["a"]).output == "a Size(width=1, tall=False) red\n"


def test_fields_are_checked_like_parameters() -> None:
    assert CliRunner().invoke(app, ["a", "--width", "0"]).exit_code == 2


def test_lists_may_be_repeated_and_have_commas() -> None:
    assert listed(["a,b", "c"]) == ("a", "b", "c")
    assert listed(None) == ()
