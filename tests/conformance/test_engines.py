"""Replays some of the recordings on persistent storage engines. `make soak ARGS=recordings` replays all of them."""

from dataclasses import replace
from functools import partial

import pytest
from proofs.engines import OUTLIVING, storage

from tests.conformance.replay import SUITES, Suite, replay
from tests.recordings.agreement import lost_of, read_agreeing

pytestmark = [pytest.mark.long, pytest.mark.slow]
_EVERY = 40
_COMPARED = [suite for suite in SUITES if suite.name in ("cases", "extensions")]


@pytest.mark.parametrize("engine", [engine for engine in OUTLIVING if not engine.endswith("-relaxed")])
@pytest.mark.parametrize("suite", _COMPARED, ids=lambda suite: suite.name)
def test_a_slice_of_the_recordings_agrees(suite: Suite, engine: str) -> None:
    agreeing = [key for key in read_agreeing() if key.startswith(f"{suite.name}/")][::_EVERY]
    cases, small = suite.cases(), replace(suite, servers=1, workers=1)
    differences = replay(
        small, {key: cases[key] for key in agreeing}, agreeing=agreeing, place=partial(storage, engine)
    )
    assert len(differences) > 5
    assert not lost_of(differences, agreeing), differences
