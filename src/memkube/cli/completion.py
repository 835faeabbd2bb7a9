"""``memkube completion``: completion of command lines in shells."""

from typing import Annotated, Literal

import typer
from typer.completion import get_completion_inspect_parameters, shell_complete

app = typer.Typer(add_completion=False)


@app.command()
def completion(
    context: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(help="Shell for which the script is printed: bash, zsh or fish.")
    ],
) -> None:
    """Print a script that completes command lines in a shell.

    For bash and zsh, put this line into ~/.bashrc or ~/.zshrc, in the latter after compinit. For fish, write the script
    to ~/.config/fish/completions/memkube.fish.

    Example::

        source <(memkube completion bash)
    """
    # Called for its side effect: it registers the completion scripts, which shell_complete prints.
    get_completion_inspect_parameters()
    program = context.find_root().command
    raise typer.Exit(shell_complete(program, {}, "memkube", "_MEMKUBE_COMPLETE", f"source_{shell}"))
