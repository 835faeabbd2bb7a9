from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias

import pytest

from tests.conformance.replay import SUITES, Differences, Suite, replay
from tests.recordings.agreement import read_agreeing, unlisted
from tests.recordings.archive import Recording

pytestmark = pytest.mark.long

_CASES = {suite.name: suite.cases() for suite in SUITES}
_AGREEING = [key for key in read_agreeing() if key.partition("/")[0] in _CASES]
_Replays: TypeAlias = Mapping[str, "Future[Differences]"]


@pytest.fixture(scope="session")
def replays(request: pytest.FixtureRequest) -> Iterator[_Replays]:
    """What the selected cases of each suite show, all suites at once: they mostly wait."""
    selected = {item.name for item in request.session.items}
    with ThreadPoolExecutor(len(SUITES)) as pool:
        yield {
            suite.name: pool.submit(replay, suite, _selected(suite, selected), agreeing=_AGREEING) for suite in SUITES
        }


def _selected(suite: Suite, tests: set[str]) -> dict[str, Recording]:
    cases = _CASES[suite.name]
    if f"test_all_that_agrees_is_listed[{suite.name}]" in tests:
        return cases
    return {key: case for key, case in cases.items() if f"test_answers_agree_with_the_recording[{key}]" in tests}


@pytest.mark.parametrize("key", _AGREEING)
def test_answers_agree_with_the_recording(key: str, replays: _Replays) -> None:
    suite = key.partition("/")[0]
    assert key in _CASES[suite], "there is no such recording"
    differences = replays[suite].result()[key]
    assert not differences, "\n".join(differences)


@pytest.mark.parametrize("suite", _CASES)
def test_all_that_agrees_is_listed(suite: str, replays: _Replays) -> None:
    more = unlisted(replays[suite].result(), _AGREEING)
    assert not more, "run python -m tests.conformance, which lists " + ", ".join(more)
