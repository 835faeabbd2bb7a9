"""``memkube hunt FILE``: searches for bugs in an operator."""

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from memkube.apimachinery.duration import parse_duration
from memkube.errors import MemkubeError, UsageError
from memkube.hunting.hunter import PATTERNS, Progress, hunt

app = typer.Typer(add_completion=False)


@app.command("hunt")
def hunt_file(
    file: Annotated[
        Path | None, typer.Argument(help="YAML file that describes the hunt. Not needed with --replay.")
    ] = None,
    budget: Annotated[
        str,
        typer.Option(help="Duration of the hunt, such as 10m. Runs that confirm a bug may end later."),
    ] = "10m",
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, max=64, help="Number of runs at the same time; by default, one more than there are processors."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Integer that decides the order in which plans of faults are tried; random by default."),
    ] = None,
    patterns: Annotated[
        str, typer.Option(help=f"Patterns of faults to try, with commas between them: {', '.join(PATTERNS)}.")
    ] = "",
    report: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report: report.json, and for each bug the plan of its faults, a test and an HTML page."
        ),
    ] = None,
    max_findings: Annotated[int, typer.Option(min=1, help="Number of bugs after which the hunt ends.")] = 5,
    shorten: Annotated[
        bool,
        typer.Option(help="In the remaining time, omit steps of the workload that are not needed to reveal the bugs."),
    ] = True,
    output: Annotated[
        Literal["text", "json", "junit"], typer.Option("--format", help="Format of the report on standard output.")
    ] = "text",
    replay: Annotated[
        Path | None,
        typer.Option(
            help="File with the plan of faults that revealed a bug in an earlier hunt. Only this plan is tried."
        ),
    ] = None,
) -> None:
    """Search for bugs in an operator by injecting faults.

    The workload first runs without faults, then with the faults of many plans: the operator is killed between two
    writes, responses are lost, watches lag behind or break off, writes are refused. If the objects at the end of a run
    differ from those without faults, the plan is repeated before it is reported. The exit status is 0 if no bug is
    found, 1 if one is found, and 2 if the file is not valid, or if the runs without faults fail, end without objects,
    or differ in all objects that the operator creates, so that nothing can be compared.

    Example::

        memkube hunt --patterns restart --report findings hunt.yaml
    """
    # Handle SIGTERM like an interrupt: the hunt kills its operators and reports the findings so far.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    logging.getLogger("memkube").setLevel(logging.CRITICAL)
    try:
        if file is None and replay is None:
            raise UsageError("give the file that describes the hunt, or --replay with the plan of a finding")
        chosen = [name.strip() for name in patterns.split(",") if name.strip()]
        with _progress() as progress:
            found = hunt(
                file,
                replay=replay,
                budget=parse_duration(budget),
                jobs=jobs,
                seed=seed,
                patterns=chosen,
                report=report,
                max_findings=max_findings,
                shorten=shorten,
                on_progress=progress,
            )
    except (MemkubeError, ValueError) as error:
        typer.echo(f"memkube: {error}", err=True)
        raise typer.Exit(2) from None
    written = {"text": found.to_text, "json": found.to_json, "junit": found.to_junit}[output]
    sys.stdout.write(written())
    raise typer.Exit(1 if found.findings else 0)


@contextmanager
def _progress() -> Iterator[Progress]:
    """Provide a function that shows progress: as a bar on a terminal, elsewhere not at all."""
    if not sys.stderr.isatty():
        yield lambda _, __, ___: None
        return
    from rich.console import Console  # noqa: PLC0415 - for terminals
    from rich.progress import Progress as Bar  # noqa: PLC0415 - as above

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("plans", total=None)

        def show(tried: int, left: int, findings: int) -> None:
            bar.update(task, description=f"plans, {findings} findings", completed=tried, total=tried + left)

        yield show
