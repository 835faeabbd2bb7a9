"""Tries to make servers lose something, and prints what came of it: ``python -m proofs [PART…] [--engines …]``."""

import argparse
import math
import os
import platform
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import uvloop
from benchmarks.memory import LIMIT, measure_memory
from tests.etcd_server import ETCD

from proofs import engines, races
from proofs.life import OPTIONS as LIVING
from proofs.life import live

_MOST_GROWTH: Final = 1.05


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    what: str
    engine: str
    figures: str
    wrong: int
    """How much was found that may not be."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is tried."""

    engines: tuple[str, ...]
    operations: int
    seconds: float
    kills: int
    requests: int
    life: float
    minutes: float
    seed: int
    within: float
    """Seconds that each of the races takes at most."""


def race(amount: Amount) -> Iterator[Row]:
    """16 clients, faults, and a checker of what they were told."""
    for engine in amount.engines:
        with engines.storage(engine) as options, engines.Server(options) as server:
            race = races.Race(amount.operations, amount.seconds, amount.seed, most_seconds=amount.within)
            yield _row("races", engine, uvloop.run(races.run([server.address], race)))


def kill(amount: Amount) -> Iterator[Row]:
    """The same, and ``kill -9`` in the middle of it."""
    for engine in amount.engines:
        if engine in engines.FILES:
            with engines.storage(engine) as options, engines.Server(options) as server:
                over = partial(_are_killed, server, amount.kills)
                race = races.Race(0, 0, amount.seed, over, amount.within)
                row = _row(
                    "kill -9", engine, uvloop.run(races.run([server.address], race, server.kill_again_and_again))
                )
                yield replace(row, figures=f"{server.kills} kills: {row.figures}")


def _are_killed(server: engines.Server, kills: int) -> bool:
    return server.kills >= kills


def replicas(amount: Amount) -> Iterator[Row]:
    """The same on two servers that share an etcd, and all that may happen to those three."""
    if ETCD is None:
        print("  replicas are left out: there is no etcd on PATH")
        return
    from proofs.replicas import race_on_replicas  # noqa: PLC0415  imports what only this part needs

    race = races.Race(amount.operations, amount.seconds, amount.seed, most_seconds=amount.within)
    result, trouble = uvloop.run(race_on_replicas(race, amount.kills))
    row = _row("two replicas", "etcd", result)
    counts = trouble.counts
    figures = (
        f"{row.figures}; {counts['kill']} kill -9, {counts['restart_etcd']} restarts of etcd, "
        f"{counts['pause_etcd']} standstills of it, {counts['cut_off']} partitions"
    )
    yield replace(row, figures=figures)


def requests(amount: Amount) -> Iterator[Row]:
    """Generated requests; one of ten by schemathesis."""
    # Imported here: it takes seconds, and no other part needs it.
    from proofs.documents import ALL  # noqa: PLC0415
    from proofs.generated import wrong_answers  # noqa: PLC0415

    of_documents = amount.requests // 10
    with engines.Server(("--nodes", "2"), controllers="all") as server:
        sent, found = wrong_answers(
            server.address,
            raw=amount.requests - of_documents,
            of_documents=of_documents,
            documents=ALL,
            number=amount.seed,
        )
    for each in found[:20]:
        print(f"  {each}")
    figures = f"{sent:,} requests, {of_documents:,} of them made of OpenAPI documents; {len(found)} wrong answers"
    yield Row("generated requests", "memory", figures, len(found))


def recordings(amount: Amount) -> Iterator[Row]:
    """What a real API server answered, on the engines that are not compared with it by each test run."""
    from proofs.recordings import compared  # noqa: PLC0415  imports what only this part needs

    for engine in amount.engines:
        if engine in engines.OUTLIVING:
            for suite, listed, lost in compared(engine):
                yield Row("recordings", engine, f"{suite}: {listed - len(lost):,} of {listed:,} agree", len(lost))


def life(amount: Amount) -> Iterator[Row]:
    """A cluster that lives for an hour, and its memory."""
    for engine in amount.engines:
        with engines.storage(engine) as options, engines.Server((*LIVING, *options), controllers="all") as server:
            lived = uvloop.run(live(server.address, amount.life * 60, server.resident_bytes))
        seconds = lived.resident[-1][0]
        settled = min(600.0, seconds / 2)
        before, after = lived.held(settled), lived.held(seconds)
        figures = (
            f"{seconds / 60:.0f} minutes: {lived.rounds:,} rounds with two rollouts each, {lived.evictions:,} "
            f"evictions, {lived.sessions:,} exec, {lived.events:,} events, {lived.compactions:,} compactions; "
            f"{before / 2**20:.0f} MiB after {settled / 60:.0f} minutes, {after / 2**20:.0f} MiB in the end "
            f"({after / before - 1:+.1%})"
        )
        yield Row("life", engine, figures, int(after > before * _MOST_GROWTH))


def memory(amount: Amount) -> Iterator[Row]:
    """Large objects under the eyes of watchers that do not read."""
    peak, end = measure_memory(amount.minutes * 60)
    figures = (
        f"{amount.minutes:g} minutes: peak {peak / 2**20:.0f} MiB of {LIMIT / 2**20:.0f}, {end / 2**20:.0f} in the end"
    )
    yield Row("large objects", "memory", figures, int(peak > LIMIT))


def _row(what: str, engine: str, result: races.Result) -> Row:
    for each in result.wrong[:20]:
        print(f"  {what}, {engine}: {each}")
    return Row(what, engine, result.line(), len(result.wrong))


PARTS: Final[dict[str, Callable[[Amount], Iterator[Row]]]] = {
    "races": race,
    "kills": kill,
    "replicas": replicas,
    "requests": requests,
    "recordings": recordings,
    "life": life,
    "memory": memory,
}


def main() -> None:
    """Runs the parts that are asked for, and exits with 1 where anything was lost."""
    parser = argparse.ArgumentParser(prog="proofs", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all, if none is named")
    parser.add_argument("--engines", default=",".join(engines.ENGINES), help="of the servers (%(default)s)")
    parser.add_argument("--operations", type=int, default=200_000, help="of a race, at least (%(default)s)")
    parser.add_argument("--seconds", type=float, default=60.0, help="that a race takes, at least (%(default)s)")
    parser.add_argument("--kills", type=int, default=200, help="with kill -9 (%(default)s)")
    parser.add_argument("--requests", type=int, default=100_000, help="that are generated (%(default)s)")
    parser.add_argument("--life", type=float, default=60.0, help="minutes of a cluster that lives (%(default)s)")
    parser.add_argument("--minutes", type=float, default=10.0, help="of large objects (%(default)s)")
    parser.add_argument(
        "--within", type=float, default=math.inf, help="minutes that a race takes at most (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of everything that is left to chance")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}: {', '.join(PARTS)}")
    chosen = tuple(given.engines.split(","))
    amount = Amount(
        engines=chosen,
        operations=given.operations,
        seconds=given.seconds,
        kills=given.kills,
        requests=given.requests,
        life=given.life,
        minutes=given.minutes,
        seed=given.seed,
        within=given.within * 60,
    )
    print(f"{datetime.now(UTC):%Y-%m-%d}, {_machine()}, seed {given.seed}", end="\n\n")
    print("| what | engine | figures |\n| --- | --- | --- |", flush=True)
    wrong = 0
    for part in given.parts or PARTS:
        for row in PARTS[part](amount):
            print(f"| {row.what} | {row.engine} | {row.figures} |", flush=True)
            wrong += row.wrong
    raise SystemExit(wrong > 0)


def _machine() -> str:
    """The processor, its cores and the memory, as far as the system tells."""
    cpu, memory = Path("/proc/cpuinfo"), Path("/proc/meminfo")
    model = re.search(r"model name\s*: (.*)", cpu.read_text()) if cpu.exists() else None
    total = re.search(r"MemTotal: +(\d+) kB", memory.read_text()) if memory.exists() else None
    held = f"{int(total[1]) / 2**20:.0f} GiB" if total else "unknown memory"
    processor = f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores"
    return f"{processor}, {held}, Python {platform.python_version()}"


main()
