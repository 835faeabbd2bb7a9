"""Compares one engine with all recordings of the reference, as `python -m tests.conformance --engine ENGINE` does."""

from collections.abc import Iterator
from functools import partial

from tests.conformance.replay import SUITES, replay
from tests.recordings.agreement import lost_of, read_agreeing

from proofs.engines import storage


def compared(engine: str) -> Iterator[tuple[str, int, list[str]]]:
    """Yield for each suite its name, the number of recordings that have to agree, and those of them that do not."""
    agreeing = read_agreeing()
    for suite in SUITES:
        listed = [key for key in agreeing if key.startswith(f"{suite.name}/")]
        differences = replay(suite, suite.cases(), agreeing=agreeing, place=partial(storage, engine))
        yield suite.name, len(listed), lost_of(differences, listed)
