"""``memkube completion``: completion of command lines in shells."""

import sys

import click
from click.shell_completion import shell_complete

from memkube.cli.commands import Command, argument


@click.command(cls=Command)
@argument(
    "shell",
    type=click.Choice(["bash", "zsh", "fish"]),
    help="Shell for which the script is printed: bash, zsh or fish.",
)
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes command lines in a shell.

    For bash and zsh, put this line into ~/.bashrc or ~/.zshrc, in the latter after compinit. For fish, write the script
    to ~/.config/fish/completions/memkube.fish.

    Example::

        source <(memkube completion bash)
    """
    program = context.find_root().command
    sys.exit(shell_complete(program, {}, "memkube", "_MEMKUBE_COMPLETE", f"{shell}_source"))
