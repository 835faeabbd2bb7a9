import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.meta.v1.selectors import LabelSelector, LabelSelectorRequirement
from memkube.apimachinery.meta.validation.labels import validate_label_selector

PATH = FieldPath("selector")


@pytest.mark.parametrize(
    ("requirement", "error"),
    [
        (
            LabelSelectorRequirement(key="a", operator="In"),
            "values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            LabelSelectorRequirement(key="a", operator="Exists", values=["b"]),
            "values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        (
            LabelSelectorRequirement(key="a", operator="in", values=["b"]),
            'operator: Invalid value: "in": not a valid selector operator',
        ),
    ],
)
def test_operators_and_values_fit_together(requirement: LabelSelectorRequirement, error: str) -> None:
    errors = validate_label_selector(LabelSelector(matchExpressions=[requirement]), PATH)
    assert [str(e) for e in errors] == [f"selector.matchExpressions[0].{error}"]


def test_values_that_no_label_has_are_refused_unless_asked_for() -> None:
    requirement = LabelSelectorRequirement(key="a", operator="In", values=["ok", "b c"])
    selector = LabelSelector(matchExpressions=[requirement])
    assert [e.field for e in validate_label_selector(selector, PATH)] == ["selector.matchExpressions[0].values[1]"]
    assert validate_label_selector(selector, PATH, any_values=True) == []


def test_no_selector_breaks_no_rule() -> None:
    assert validate_label_selector(None, PATH) == []
