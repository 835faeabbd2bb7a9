"""Hunts find the bugs of the examples."""

import pytest

import memkube
from tests.hunting.examples import BUGS, described

pytestmark = [pytest.mark.long, pytest.mark.slow]


@pytest.mark.parametrize(("name", "pattern"), BUGS.items())
def test_a_bug_is_found(name: str, pattern: str) -> None:
    report = memkube.hunt(
        described(f"{name}_buggy"), patterns=[pattern], budget=300, seed=1, max_findings=1, shorten=False
    )
    assert [finding.pattern for finding in report.findings[:1]] == [pattern], report.to_text()
