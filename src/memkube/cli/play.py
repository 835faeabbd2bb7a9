"""``memkube play FILE``: a scenario, played on a stepped clock."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from memkube.errors import UsageError
from memkube.scenarios.playing import Progress, Report, play
from memkube.scenarios.scenario import Scenario, read_scenario

app = typer.Typer(add_completion=False)
_MOST_REASONS: Final = 12


@app.command("play")
def play_file(
    file: Annotated[Path, typer.Argument(help="File with the scenario, in YAML or JSON.")],
    seed: Annotated[int | None, typer.Option(help="Seed of random values, instead of the one in the file.")] = None,
    events: Annotated[
        Path | None, typer.Option(help="File for the event log: each change of an object as a line of JSON.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="File for the report, in JSON.")] = None,
) -> None:
    """Play a scenario, and check its expectations.

    A new server plays the scenario on a stepped clock, so that a day takes a minute or less. Two runs with the same
    seed write equal event logs. The exit status is 0 if all expectations are met, 1 if one is not or a step was
    refused, 2 if the scenario is not valid.

    Example::

        memkube play --seed 7 night.yaml
    """
    # Hide the warnings that controllers log when they retry. The report has the numbers of Events about retries.
    logging.getLogger("memkube").setLevel(logging.ERROR)
    try:
        scenario = read_scenario(file)
        with _progress(scenario) as progress:
            result = play(scenario, seed=seed, events=events, on_progress=progress)
    except UsageError as error:
        typer.echo(f"memkube: {error}", err=True)
        raise typer.Exit(2) from None
    if report is not None:
        report.write_text(json.dumps(result.to_document(), indent=2) + "\n", encoding="utf-8")
    _tell(result)
    raise typer.Exit(0 if result.passed else 1)


def _tell(result: Report) -> None:
    typer.echo(f"{result.name or 'scenario'}: {result.started:%Y-%m-%d %H:%M:%S} to {result.ended:%Y-%m-%d %H:%M:%S}")
    typer.echo(f"steps: {result.steps}, changes: {result.changes}, seed: {result.seed}, digest: {result.digest[:16]}")
    reasons = list(result.events.items())
    shown = [f"{count} {reason}" for reason, count in reasons[:_MOST_REASONS]]
    more = [f"{sum(count for _, count in reasons[_MOST_REASONS:])} others"] if len(reasons) > _MOST_REASONS else []
    typer.echo(f"events: {', '.join([*shown, *more]) or 'none'}")
    typer.echo(f"pods: {', '.join(f'{count} {phase}' for phase, count in result.pods.items()) or 'none'}")
    for failure in result.failures:
        typer.echo(f"FAILED {failure}")
    typer.echo("passed" if result.passed else f"{len(result.failures)} failed")


@contextmanager
def _progress(scenario: Scenario) -> Iterator[Progress]:
    """Provide a callback that shows progress: with a bar on a terminal, else not at all."""
    if not sys.stderr.isatty():
        yield lambda _, __: None
        return
    from rich.console import Console  # noqa: PLC0415 - for terminals
    from rich.progress import Progress as Bar  # noqa: PLC0415 - as above

    start = scenario.cluster.start
    console = Console(stderr=True)
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task("", total=(scenario.until.after(start) - start).total_seconds())

        def show(now: datetime, step: str) -> None:
            if step:
                bar.update(task, description=f"{now:%a %H:%M:%S} {step}")
            bar.update(task, completed=(now - start).total_seconds())

        yield show
