"""Quantities in expressions of Stages. Their operators are tested in ``test_cel.py``."""

import pytest

from memkube.cel.errors import EvaluationError
from memkube.controllers.stages.languages.quantities import ResourceAmounts, StageQuantity, stage_quantity


@pytest.mark.parametrize(
    ("text", "by", "divides", "result"),
    [
        ("1", 3, True, "333m"),
        ("-1", 3, True, "-333m"),
        ("100u", 1, False, "1m"),
        ("1", 0.5, False, "500m"),
        ("1", 0.0, True, "-9223372036854775808m"),
        ("9223372036854775807m", 2, False, "-2m"),
    ],
)
def test_products_and_quotients_have_whole_thousandths(text: str, by: float, divides: bool, result: str) -> None:
    milli = StageQuantity(int(result.removesuffix("m")) * 10**6)
    assert stage_quantity(text).scaled(by, divides=divides) == milli


def test_only_numbers_multiply_quantities() -> None:
    with pytest.raises(EvaluationError, match="no such overload"):
        stage_quantity("1").scaled(True, divides=False)


def test_a_resource_that_is_not_listed_has_the_amount_zero() -> None:
    amounts = ResourceAmounts({"cpu": "1"})
    assert (amounts.find("cpu"), amounts.find("memory")) == (StageQuantity(10**9), StageQuantity(0))
    assert (amounts.has("cpu"), amounts.has("memory"), len(amounts), list(amounts)) == (True, False, 1, ["cpu"])


def test_lists_of_resources_are_equal_if_their_amounts_are() -> None:
    assert ResourceAmounts({"cpu": "1"}).equals(ResourceAmounts({"cpu": "1000m"}))
    assert not ResourceAmounts({"cpu": "1"}).equals(ResourceAmounts({"cpu": "1", "memory": "0"}))
