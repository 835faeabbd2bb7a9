import pytest

from memkube.controllers.scheduler.filtering import number_to_find
from memkube.controllers.scheduler.reports import failed


@pytest.mark.parametrize(
    ("nodes", "enough"), [(0, 0), (50, 50), (100, 100), (150, 100), (1000, 420), (5000, 500), (20000, 1000)]
)
def test_in_large_clusters_some_nodes_are_enough(nodes: int, enough: int) -> None:
    assert number_to_find(nodes) == enough


def test_long_messages_are_cut_in_events() -> None:
    message = failed("x" * 1025).message
    assert (len(message), message[-5:]) == (1024, "x ...")
