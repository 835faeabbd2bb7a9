"""Replays all recordings of a real API server, with a test for each case."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeAlias

import pytest

from tests.conformance.replay import SUITES, Differences, Suite, replay
from tests.recordings.agreement import read_agreeing, unlisted
from tests.recordings.archive import Recording

pytestmark = pytest.mark.long

_NAMES: Final = [suite.name for suite in SUITES]
_AGREEING: Final = [key for key in read_agreeing() if key.partition("/")[0] in _NAMES]
_Replays: TypeAlias = Mapping[str, "Future[Differences]"]


@pytest.fixture(scope="session")
def replays(request: pytest.FixtureRequest) -> Iterator[_Replays]:
    """The differences of the selected cases by suite.

    All suites are replayed at the same time, because they mostly wait.
    """
    selected = {item.name for item in request.session.items}
    named = test_an_answer_agrees_with_its_recording.__name__
    wanted = {key for key in _AGREEING if f"{named}[{key}]" in selected}
    cases = {suite: _tried(suite, selected, wanted) for suite in SUITES}
    with ThreadPoolExecutor(len(SUITES)) as pool:
        yield {
            suite.name: pool.submit(replay if tried else _nothing, suite, tried, agreeing=_AGREEING)
            for suite, tried in cases.items()
        }


def _tried(suite: Suite, selected: set[str], wanted: set[str]) -> Mapping[str, Recording]:
    """Return the cases of the selected tests: listed cases, cases that are not listed, or both."""
    is_listing = f"{test_all_that_agrees_is_listed.__name__}[{suite.name}]" in selected
    listed = frozenset(_AGREEING)
    return {k: case for k, case in suite.cases().items() if k in wanted or (is_listing and k not in listed)}


def _nothing(*_: object, **__: object) -> Differences:
    """Replay nothing, without starting servers."""
    return {}


@pytest.mark.parametrize("key", _AGREEING, ids=_AGREEING)
def test_an_answer_agrees_with_its_recording(key: str, replays: _Replays) -> None:
    found = replays[key.partition("/")[0]].result()
    assert not found.get(key, ["there is no such recording"])


# Cases of controllers that do not agree wait until they time out.
_LISTED: Final = [pytest.param(name, marks=pytest.mark.slow if name == "controllers" else ()) for name in _NAMES]


@pytest.mark.parametrize("suite", _LISTED)
def test_all_that_agrees_is_listed(suite: str, replays: _Replays) -> None:
    more = unlisted(replays[suite].result(), _AGREEING)
    assert not more, "run python -m tests.conformance, which lists " + ", ".join(more)
