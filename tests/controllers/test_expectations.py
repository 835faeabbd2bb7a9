import pytest

from memkube.controllers.workloads.pod_control import Expectations
from memkube.time.clock import SteppedClock

pytestmark = pytest.mark.anyio


async def test_an_owner_waits_until_what_it_did_has_been_seen() -> None:
    expected: Expectations[str] = Expectations(SteppedClock())
    expected.created("web", "a")
    expected.deleting("web", "b")
    assert expected.seconds_left("web") == 300
    expected.observed("web", "a", gone=False)
    expected.observed("web", "b", gone=False)
    assert expected.seconds_left("web") == 300
    expected.observed("web", "b", gone=True)
    assert expected.seconds_left("web") == 0


async def test_what_was_missed_is_waited_for_five_minutes() -> None:
    clock = SteppedClock()
    expected: Expectations[str] = Expectations(clock)
    expected.created("web", "a")
    await clock.advance(300)
    assert expected.seconds_left("web") <= 0
