"""``memkube hunt FILE``: searches for bugs in an operator."""

import logging
import signal
import sys
from pathlib import Path
from typing import Literal

import click

from memkube.apimachinery.duration import parse_duration
from memkube.cli.commands import PATH, Command, argument
from memkube.cli.progress import progress_bar
from memkube.errors import MemkubeError, UsageError
from memkube.hunting.hunter import PATTERNS
from memkube.hunting.hunter import hunt as search


@click.command(cls=Command)
@argument("file", type=PATH, required=False, help="YAML file that describes the hunt. Not needed with --replay.")
@click.option(
    "--budget", default="10m", help="Duration of the hunt, such as 10m. Runs that confirm a bug may end later."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="Number of runs at the same time, without runs that only wait; by default, one more than there are "
    "processors.",
)
@click.option(
    "--seed", type=int, help="Integer that decides the order in which plans of faults are tried; random by default."
)
@click.option("--patterns", help=f"Patterns of faults to try, with commas between them: {', '.join(PATTERNS)}.")
@click.option(
    "--report",
    type=PATH,
    help="Folder for the report: report.json, and for each bug the plan of its faults, a test and an HTML page.",
)
@click.option("--max-findings", type=click.IntRange(1), default=5, help="Number of bugs after which the hunt ends.")
@click.option(
    "--shorten/--no-shorten",
    default=True,
    help="In the remaining time, omit steps of the workload that are not needed to reveal the bugs.",
)
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "junit"]),
    default="text",
    help="Format of the report on standard output.",
)
@click.option(
    "--replay",
    type=PATH,
    help="File with the plan of faults that revealed a bug in an earlier hunt. Only this plan is tried.",
)
def hunt(
    file: Path | None,
    budget: str,
    jobs: int | None,
    seed: int | None,
    patterns: str | None,
    report: Path | None,
    max_findings: int,
    shorten: bool,
    output: Literal["text", "json", "junit"],
    replay: Path | None,
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
        chosen = [name.strip() for name in (patterns or "").split(",") if name.strip()]
        with progress_bar() as show:
            found = search(
                file,
                replay=replay,
                budget=parse_duration(budget),
                jobs=jobs,
                seed=seed,
                patterns=chosen,
                report=report,
                max_findings=max_findings,
                shorten=shorten,
                on_progress=lambda tried, left, findings: show(tried, tried + left, f"plans, {findings} findings"),
            )
    except (MemkubeError, ValueError) as error:
        click.echo(f"memkube: {error}", err=True)
        sys.exit(2)
    written = {"text": found.to_text, "json": found.to_json, "junit": found.to_junit}[output]
    sys.stdout.write(written())
    sys.exit(1 if found.findings else 0)
