"""The share of seats of each priority level."""

import pytest

from memkube.endpoints.flow_control.classification import PriorityLevel
from memkube.endpoints.flow_control.shares import Share, shares_of


def level(name: str, shares: int, lendable: int = 0, borrowing: int | None = None) -> PriorityLevel:
    return PriorityLevel(name, name, False, shares, lendable, borrowing, 300)


@pytest.mark.parametrize(
    ("levels", "shares"),
    [
        ([level("a", 30), level("b", 10)], {"a": Share(75, 100), "b": Share(25, 100)}),
        ([level("a", 30, lendable=90), level("b", 10, lendable=50)], {"a": Share(7, 100), "b": Share(12, 100)}),
        ([level("a", 30, borrowing=0), level("b", 10, borrowing=100)], {"a": Share(75, 75), "b": Share(25, 50)}),
        ([level("a", 0), level("b", 10)], {"a": Share(0, 100), "b": Share(100, 100)}),
    ],
)
def test_seats_are_divided_by_shares(levels: list[PriorityLevel], shares: dict[str, Share]) -> None:
    assert shares_of(levels, 100) == shares
