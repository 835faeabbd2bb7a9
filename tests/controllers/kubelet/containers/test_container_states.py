from datetime import UTC, datetime, timedelta

import pytest

from memkube.controllers.kubelet.containers.container_states import new_backoff

START = datetime(2026, 1, 2, tzinfo=UTC)


def test_the_first_attempt_never_waits() -> None:
    assert not new_backoff().waits(START, START)


def test_delays_double_up_to_five_minutes() -> None:
    backoff, delays = new_backoff(), []
    for _ in range(7):
        backoff.lengthen(START, START)
        delays.append(backoff.delay.total_seconds())
    assert delays == [10, 20, 40, 80, 160, 300, 300]


@pytest.mark.parametrize(("good_seconds", "delay"), [(599, 40), (600, 40), (601, 10)])
def test_delays_begin_anew_after_ten_good_minutes(good_seconds: int, delay: int) -> None:
    backoff = new_backoff()
    backoff.lengthen(START, START)
    backoff.lengthen(START, START)
    failed = START + timedelta(seconds=good_seconds)
    assert backoff.waits(failed, failed) is (good_seconds <= 600)
    backoff.lengthen(failed, failed)
    assert backoff.delay == timedelta(seconds=delay)
