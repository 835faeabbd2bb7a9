"""The checker of watches finds missing and wrong events."""

import pytest
from proofs.history import Stretch, Watched
from proofs.linearizability import violations

from tests.proofs.histories import ALL, CHANGES, history

HALF = Stretch(10, CHANGES[:3], 13)
REST = Stretch(13, CHANGES[3:], 17)


@pytest.mark.parametrize(
    "right",
    [
        ALL,
        Watched("", [HALF, REST]),
        Watched("", [HALF, Stretch(15, CHANGES[5:], 17, expired=True)]),
        Watched("", [Stretch(10, CHANGES[:3], 14), Stretch(14, CHANGES[4:], 17)][1:]),
        Watched("b/", [Stretch(10, (CHANGES[3], CHANGES[6]), 17)]),
        Watched("", [Stretch(17, (), 17)]),
    ],
    ids=["all", "two watches", "a gap that a 410 announced", "from later on", "one namespace", "nothing"],
)
def test_nothing_is_wrong_with(right: Watched) -> None:
    assert list(violations(history(watched=(right,)))) == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Watched("", [Stretch(10, (*CHANGES[:3], *CHANGES[4:]), 17)]), r"missed \[14\]"),
        (Watched("", [Stretch(10, (*CHANGES, CHANGES[6]), 17)]), r"saw \[17\] more than once"),
        (Watched("", [HALF, Stretch(12, CHANGES[2:], 17)]), "continued from 12"),
        (Watched("", [Stretch(10, (CHANGES[1], CHANGES[0], *CHANGES[2:]), 17)]), "out of order"),
        (Watched("", [HALF, Stretch(15, CHANGES[5:], 17)]), "continued from 15"),
        (Watched("b/", [Stretch(10, (CHANGES[3], CHANGES[5], CHANGES[6]), 17)]), r"saw \[16\] differently"),
        (Watched("", [HALF]), "saw nothing after 13"),
        (Watched("", [Stretch(10, CHANGES[:3], 15), Stretch(15, CHANGES[5:], 17)]), r"missed \[14, 15\]"),
    ],
    ids=[
        "an event that is missing",
        "an event that comes twice",
        "a watch that goes back",
        "events out of order",
        "a gap without a 410",
        "an event that is none of its own",
        "an end before the end",
        "a bookmark that is ahead of the events",
    ],
)
def test_the_check_finds_a_violation_in_a_watch(wrong: Watched, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        assert list(violations(history(watched=(wrong,)))) == []
