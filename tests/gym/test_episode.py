from typing import Any

from memkube.gym.episode import Preparations, Verdict
from memkube.gym.evidence import Finding


def test_the_oldest_prepared_clusters_are_dropped() -> None:
    preparations, prepared = Preparations(), object()
    for seed in range(65):
        given: Any = prepared
        preparations.put("quota", seed, given)
    assert preparations.get("quota", 0) is None
    assert preparations.get("quota", 1) is prepared
    assert preparations.get("quota", 64) is prepared


def test_only_a_verdict_without_reasons_is_solved() -> None:
    assert Verdict([], []).solved
    assert not Verdict(["a goal"], []).solved
    damaged = Verdict([], [Finding("a change")])
    assert (damaged.solved, damaged.lost, damaged.reasons) == (False, False, ["a change"])
    assert Verdict([], [Finding("a deletion", is_final=True)]).lost
