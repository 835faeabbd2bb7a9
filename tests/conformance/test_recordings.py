"""All recordings: a test for each area of a suite, which names those that differ.

A test for each recording takes longer to report than to compare; there is one where tests are chosen by name (`-k`).
"""

from collections.abc import Iterator, Mapping, Sequence
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


def _groups(config: pytest.Config) -> Mapping[str, Sequence[str]]:
    """The keys of the recordings that a test is about, by its name."""
    groups: dict[str, list[str]] = {}
    for key in _AGREEING:
        groups.setdefault(key if config.getoption("keyword") else key.rpartition("/")[0], []).append(key)
    return groups


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "keys" in metafunc.fixturenames:
        groups = _groups(metafunc.config)
        metafunc.parametrize("keys", groups.values(), ids=groups)


@pytest.fixture(scope="session")
def replays(request: pytest.FixtureRequest) -> Iterator[_Replays]:
    """What the selected cases of each suite show, all suites at once: they mostly wait."""
    selected = {item.name for item in request.session.items}
    named = test_answers_agree_with_the_recordings.__name__
    wanted = {key for group, keys in _groups(request.config).items() if f"{named}[{group}]" in selected for key in keys}
    cases = {suite: _tried(suite, selected, wanted) for suite in SUITES}
    with ThreadPoolExecutor(len(SUITES)) as pool:
        yield {
            suite.name: pool.submit(replay if tried else _nothing, suite, tried, agreeing=_AGREEING)
            for suite, tried in cases.items()
        }


def _tried(suite: Suite, selected: set[str], wanted: set[str]) -> Mapping[str, Recording]:
    """The cases of the selected tests: those that are listed, those that are not, or both."""
    is_listing = f"{test_all_that_agrees_is_listed.__name__}[{suite.name}]" in selected
    listed = frozenset(_AGREEING)
    return {k: case for k, case in suite.cases().items() if k in wanted or (is_listing and k not in listed)}


def _nothing(*_: object, **__: object) -> Differences:
    """Starts no servers."""
    return {}


def test_answers_agree_with_the_recordings(keys: Sequence[str], replays: _Replays) -> None:
    found = replays[keys[0].partition("/")[0]].result()
    wrong = [f"{key}: {line}" for key in keys for line in found.get(key, ["there is no such recording"])]
    assert not wrong, "\n".join(wrong)


# Those of controllers that do not agree wait for what does not come.
_LISTED: Final = [pytest.param(name, marks=pytest.mark.slow if name == "controllers" else ()) for name in _NAMES]


@pytest.mark.parametrize("suite", _LISTED)
def test_all_that_agrees_is_listed(suite: str, replays: _Replays) -> None:
    more = unlisted(replays[suite].result(), _AGREEING)
    assert not more, "run python -m tests.conformance, which lists " + ", ".join(more)
