"""Hunts find the bugs of the examples whose operators fail if their writes are disturbed."""

import pytest

from tests.hunting.examples import BUGS_IN_WRITES, assert_found

pytestmark = [pytest.mark.long, pytest.mark.slow]


@pytest.mark.parametrize(("name", "pattern"), BUGS_IN_WRITES.items())
def test_a_bug_is_found(name: str, pattern: str) -> None:
    assert_found(name, pattern)
