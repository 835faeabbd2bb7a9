"""``memkube play FILE``: a scenario of a cluster, played on a clock that moves only when it is advanced."""

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import Any, Final

import click

from memkube.cli.commands import PATH, Command, argument
from memkube.cli.control_api import ControlApi
from memkube.cli.progress import progress_bar
from memkube.errors import Refused, ServerError, UsageError
from memkube.scenarios.playing import Progress, Report
from memkube.scenarios.playing import play as play_scenario
from memkube.scenarios.scenario import read_scenario

_MOST_REASONS: Final = 12
_LOOK_SECONDS: Final = 0.2


@click.command(cls=Command)
@argument("file", type=PATH, help="File with the scenario, in YAML or JSON.")
@click.option("--server", metavar="URL", help="Running server that plays it, instead of a new one.")
@click.option(
    "--speed",
    type=click.FloatRange(0.001),
    help="Seconds of the cluster's clock per second of real time; by default as many as possible.",
)
@click.option("--seed", type=int, help="Integer that seeds random values, instead of the seed in the scenario.")
@click.option("--events", type=PATH, help="File for the event log: each change of an object as a line of JSON.")
@click.option("--report", type=PATH, help="File for the report, in JSON.")
def play(
    file: Path, server: str | None, speed: float | None, seed: int | None, events: Path | None, report: Path | None
) -> None:
    """Play a scenario, and check its expectations.

    A new server plays the scenario on a stepped clock: the scenario advances it as fast as possible, so that a day
    takes a minute or less. Two runs with the same seed write equal event logs. With --server, the scenario is played on
    a running server that has the option --clock stepped, and whose web page shows it; Ctrl-C stops it. The exit status
    is 0 if all expectations are met, 1 if one is not or a step was refused, 2 if the scenario is not valid.

    Example::

        memkube play --seed 7 night.yaml
    """
    # Hide the warnings that controllers log when they retry: the report counts the Events about these failures.
    logging.getLogger("memkube").setLevel(logging.ERROR)
    try:
        if server:
            _check_options(seed, events)
            result = _play_on(ControlApi.of(server), file, speed)
        else:
            scenario = read_scenario(file)
            start = scenario.cluster.start
            with _progress(start, scenario.until.after(start)) as progress:
                result = play_scenario(scenario, speed=speed, seed=seed, events=events, on_progress=progress)
    except UsageError as error:
        click.echo(f"memkube: {error}", err=True)
        sys.exit(2)
    if report is not None:
        report.write_text(json.dumps(result.to_document(), indent=2) + "\n", encoding="utf-8")
    _print_report(result)
    sys.exit(0 if result.passed else 1)


def _check_options(seed: int | None, events: Path | None) -> None:
    """Raise UsageError if an option is given that only a new server supports."""
    if seed is not None:
        raise UsageError("--seed is for a new server: give it to memkube serve")
    if events is not None:
        raise UsageError("--events is for a new server: a running one writes no event log")


def _play_on(control: ControlApi, file: Path, speed: float | None) -> Report:
    """Play the scenario in `file` on a running server, and return the report.

    `control` is the server's control API. `speed` is the number of seconds of the server's clock per second of real
    time; None for as many as possible. Raises UsageError if the scenario is not valid.
    """
    # Imported only here, because it imports the code that reads manifests: a scenario on a new server needs that code
    # only if it names files.
    from memkube.scenarios.posting import sendable  # noqa: PLC0415

    try:
        state = control.post("/scenarios", {"scenario": sendable(file), **({"speed": speed} if speed else {})})
    except Refused as error:
        raise UsageError(str(error)) from None
    where = f"/scenarios/{state['number']}"
    click.echo(f"{control.url}/ui{where}")
    if state["ignored"]:
        names = ", ".join(state["ignored"])
        click.echo(f"memkube: without effect on a running server: {names}", err=True)
    try:
        with _progress(datetime.fromisoformat(state["start"]), datetime.fromisoformat(state["end"])) as progress:
            while state["state"] == "playing":
                sleep(_LOOK_SECONDS)
                state = control.get(where)
                _show(state, progress)
    except KeyboardInterrupt:
        state = control.post(f"{where}/stop")
    return _report_of(state)


def _show(state: Mapping[str, Any], progress: Progress) -> None:
    """Show the progress of a scenario and its next step; `state` is its state from the control API of the server."""
    steps = [step for step in state["steps"] if step["next"] is not None]
    upcoming = min(steps, key=lambda step: str(step["next"]), default=None)
    text = f"next: {upcoming['text']}" if upcoming else ""
    progress(datetime.fromisoformat(state["now"]), text)


def _report_of(state: Mapping[str, Any]) -> Report:
    """Return the report of a scenario that was played on a running server, from its state in the control API."""
    result = state["result"]
    if result is None:
        raise ServerError(f"the scenario ended without a result: {'; '.join(state['failures'])}")
    return Report(
        state["name"],
        None,
        datetime.fromisoformat(state["start"]),
        datetime.fromisoformat(state["now"]),
        steps=result["steps"],
        failures=state["failures"],
        events=result["events"],
        pods=result["pods"],
        changes=result["changes"],
        digest=result["digest"],
        stopped=state["state"] == "stopped",
        ignored=state["ignored"],
    )


def _print_report(result: Report) -> None:
    click.echo(f"{result.name or 'scenario'}: {result.started:%Y-%m-%d %H:%M:%S} to {result.ended:%Y-%m-%d %H:%M:%S}")
    seed = "" if result.seed is None else f", seed: {result.seed}"
    click.echo(f"steps: {result.steps}, changes: {result.changes}{seed}, digest: {result.digest[:16]}")
    reasons = list(result.events.items())
    shown = [f"{count} {reason}" for reason, count in reasons[:_MOST_REASONS]]
    more = [f"{sum(count for _, count in reasons[_MOST_REASONS:])} others"] if len(reasons) > _MOST_REASONS else []
    click.echo(f"events: {', '.join([*shown, *more]) or 'none'}")
    click.echo(f"pods: {', '.join(f'{count} {phase}' for phase, count in result.pods.items()) or 'none'}")
    for failure in result.failures:
        click.echo(f"FAILED {failure}")
    click.echo("passed" if result.passed else f"{len(result.failures)} failed{', stopped' if result.stopped else ''}")


@contextmanager
def _progress(start: datetime, end: datetime) -> Iterator[Progress]:
    """Show a progress bar for a scenario during the block, if stderr is a terminal.

    Yield the function that updates the bar. Its arguments are the time of the cluster's clock and a description of the
    step that happens then, "" for none. `start` and `end` are the times at which the scenario starts and ends.
    """
    latest = ""
    with progress_bar() as show:

        def update(now: datetime, step: str) -> None:
            nonlocal latest
            latest = f"{now:%a %H:%M:%S} {step}" if step else latest
            show(round((now - start).total_seconds()), round((end - start).total_seconds()), latest)

        yield update
