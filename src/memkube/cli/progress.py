"""A progress bar for terminals."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar on stderr during the block, if stderr is a terminal.

    Yields the function that updates the bar. It takes the number of steps done, that of all steps, and a description.
    """
    if not sys.stderr.isatty():
        yield lambda _, __, ___: None
        return
    with click.progressbar(length=1, file=sys.stderr) as bar:

        def show(done: int, total: int, text: str) -> None:
            bar.length, bar.label = total, text[:40]
            bar.finished = False  # The total may have grown after all steps were done.
            bar.make_step(done - bar.pos)
            bar.render_progress()

        yield show
