"""The checker of histories finds violations, and reports none in correct histories."""

from dataclasses import replace

import pytest
from proofs.history import Change, History, Operation
from proofs.linearizability import violations

from tests.proofs.histories import KEY, OPERATIONS, OTHER, but, changed, history


def test_nothing_is_wrong_with_a_history_in_which_nothing_is() -> None:
    assert list(violations(history())) == []


@pytest.mark.parametrize("spoilt", ["get", "conflict", "exists", "list", "absent"])
def test_reads_and_refusals_may_be_left_out(spoilt: str) -> None:
    left = [operation for name, operation in OPERATIONS.items() if name != spoilt]
    assert list(violations(replace(history(), operations=left))) == []


def test_a_read_may_be_older_than_a_write_that_it_overlaps() -> None:
    assert list(violations(history(get=but("get", invoked=31, returned=100)))) == []


def test_a_read_of_a_write_without_an_answer_is_right() -> None:
    early = Operation(2, "get", OTHER, 67, 68, "done", 14, data={"by": "n6", "count": "0"})
    assert list(violations(history(early=early))) == []


def test_a_write_without_an_answer_may_never_have_happened() -> None:
    gone: dict[int, Change | None] = {14: None, 17: None}
    assert list(violations(history(gone, list=but("list", revision=13, listed={KEY: 13})))) == []


WRONG = {
    "lost update": (history(replace=but("replace", expected=10)), "lost an update"),
    "acknowledged write that never happened": (
        history(never=Operation(2, "patch", KEY, 125, 130, "done", 18, name="n10", data={"by": "n10"})),
        "was acknowledged and never happened",
    ),
    "refused write that happened": (
        history(replace=but("replace", outcome="conflict", revision=0)),
        "was reported as refused",
    ),
    "write that happened twice": (
        history(changed(13, data={"by": "n2", "count": "1"}), patch=None),
        "had already happened at 12",
    ),
    "write that no client requested": (history(replace=None), "was not requested by any client"),
    "write of another revision": (history(patch=but("patch", revision=14)), "happened at 13"),
    "creation of what is there": (history(changed(12, type="ADDED")), "comes after ADDED"),
    "patch that loses a field": (history(changed(13, data={"by": "n4", "x": "y"})), "should have resulted in"),
    "object that changes its uid": (history(changed(12, uid="u9")), "has another uid"),
    "deletion that no client requested": (history(lost=None), "is a deletion that no client requested"),
    "deletion that was told twice": (
        history(twice=but("delete", client=1, name="n11")),
        "two clients were told",
    ),
    "deletion that never happened": (
        history(never=Operation(2, "delete", KEY, 125, 130, "done", name="n12", uid="u3")),
        "was acknowledged and never happened",
    ),
    "deletion of a newer object": (history(delete=but("delete", expected=12)), "it deleted 13 instead of 12"),
    "deletion of other data": (history(changed(15, data={"by": "n2"})), "deletes another state"),
    "stale read": (history(get=but("get", invoked=41, returned=44)), "is stale"),
    "stale absence": (history(absent=but("absent", invoked=111, returned=112)), "is stale"),
    "read of the future": (
        history(early=Operation(2, "get", KEY, 21, 24, "done", 12, data={"by": "n2", "count": "1"})),
        "happened at 12, before 12",
    ),
    "reads that go back, of different objects": (
        history(
            new=Operation(2, "get", OTHER, 67, 68, "done", 14, data={"by": "n6", "count": "0"}),
            list=but("list", revision=13, listed={KEY: 13}),
        ),
        "is stale",
    ),
    "read of data that never were": (history(get=but("get", data={"by": "n0"})), "was never true"),
    "conflict that was none": (
        history(conflict=but("conflict", invoked=21, returned=24)),
        "which was already observed by",
    ),
    "existence that was none": (
        history(exists=but("exists", invoked=91, returned=93)),
        "which was already observed by",
    ),
    "list of what was not so at its revision": (
        history(list=but("list", listed={KEY: 12, OTHER: 14})),
        "and not",
    ),
    "stale list": (history(list=but("list", invoked=125, returned=130)), "is stale"),
    "write before what was answered": (
        history(patch=but("patch", invoked=76, returned=79)),
        "which was already observed by",
    ),
    "objects that are left over": (
        History(10, list(OPERATIONS.values()), history().watched, {KEY: 16, OTHER: 14}, 17),
        "the final list is",
    ),
    "changes that no watcher saw": (
        History(10, list(OPERATIONS.values()), (), {KEY: 16}, 17),
        "no watcher saw all changes",
    ),
}


@pytest.mark.parametrize(("spoilt", "words"), WRONG.values(), ids=WRONG)
def test_the_check_finds_a_violation_in_a_history(spoilt: History, words: str) -> None:
    found = list(violations(spoilt))
    assert any(words in each for each in found), found


def test_of_two_deletions_without_an_answer_either_may_have_been_the_first() -> None:
    first = but("lost", name="n20", expected=14)
    again = but("second", name="n21", invoked=121, returned=122, data={"by": "n21", "count": "0"})
    more: dict[int, Change | None] = {
        18: Change(18, "ADDED", OTHER, "u4", {"by": "n21", "count": "0"}),
        19: Change(19, "DELETED", OTHER, "u4", {"by": "n21", "count": "0"}),
    }
    assert list(violations(history(more, first=first, again2=again))) == []
