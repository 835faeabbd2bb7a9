"""The rule about deletions: which deletions in a run with faults are bugs."""

from memkube.hunting.history import Change
from memkube.hunting.judging import Judge
from memkube.hunting.plan import START
from memkube.hunting.run import Observation, Sent


def observation(*what: str, lags_since: float | None = None) -> Observation:
    """Return a run in which a ConfigMap is created and deleted repeatedly, with one change a second."""
    changes, sent = [], []
    for second, one in enumerate(what):
        document = {"kind": "ConfigMap", "metadata": {"name": "a", "uid": f"{second // 2}"}}
        changes.append(Change(one, "ConfigMap", "a", f"{second // 2}", float(second), document, None))
        if one == "deleted":
            sent.append(Sent(float(second), "delete", "", "configmaps", "a", 200, ""))
    return Observation(states={START: {}}, sent=sent, changes=changes, lags_since=lags_since)


ONCE = observation("created", "deleted")
AGAIN = ("created", "deleted", "created", "deleted")


def test_a_further_deletion_is_wrong() -> None:
    assert [one.oracle for one in Judge([ONCE]).verdicts(observation(*AGAIN))] == ["deletion"]


def test_an_object_of_an_older_view_may_be_deleted_again() -> None:
    assert Judge([ONCE]).verdicts(observation(*AGAIN, lags_since=1.5)) == []


def test_an_object_from_before_the_older_view_may_not_be_deleted() -> None:
    assert Judge([ONCE]).verdicts(observation(*AGAIN, lags_since=2.5))


def test_a_deletion_that_is_repeated_until_the_object_is_gone_counts_once() -> None:
    observed = observation("created", "deleted")
    observed.sent.append(Sent(2.0, "delete", "", "configmaps", "a", 200, ""))
    assert Judge([ONCE]).verdicts(observed) == []
