"""Hunts find the bugs of the examples whose operators fail if their reads are disturbed."""

import pytest

from tests.hunting.examples import BUGS_IN_READS, assert_found

pytestmark = [pytest.mark.long, pytest.mark.slow]


@pytest.mark.parametrize(("name", "pattern"), BUGS_IN_READS.items())
def test_a_bug_is_found(name: str, pattern: str) -> None:
    assert_found(name, pattern)
