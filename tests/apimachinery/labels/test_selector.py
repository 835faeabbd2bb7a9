import pytest

from memkube.apimachinery import labels
from memkube.apimachinery.meta.v1.selectors import LabelSelector, LabelSelectorRequirement


def expression(key: str, operator: str, *values: str) -> LabelSelector:
    return LabelSelector(matchExpressions=[LabelSelectorRequirement(key=key, operator=operator, values=list(values))])


def test_no_selector_selects_nothing() -> None:
    assert not labels.from_model(None).matches({"app": "web"})


def test_an_empty_selector_selects_everything() -> None:
    assert labels.from_model(LabelSelector()).matches({})


@pytest.mark.parametrize(
    ("model", "selected", "left_out"),
    [
        (LabelSelector(matchLabels={"app": "web", "tier": ""}), {"app": "web", "tier": ""}, {"app": "web"}),
        (expression("app", "In", "web", "db"), {"app": "db"}, {}),
        (expression("app", "NotIn", "web"), {}, {"app": "web"}),
        (expression("app", "Exists"), {"app": ""}, {}),
        (expression("app", "DoesNotExist"), {}, {"app": "web"}),
    ],
)
def test_a_model_selects_like_its_written_form(
    model: LabelSelector, selected: dict[str, str], left_out: dict[str, str]
) -> None:
    selector = labels.from_model(model)
    assert selector.matches(selected)
    assert not selector.matches(left_out)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (expression("app", "in", "web"), '"in" is not a valid label selector operator'),
        (expression("app", "Exists", "web"), "values set must be empty for exists and does not exist"),
        (expression("app", "In"), "for 'in', 'notin' operators, values set can't be empty"),
        (expression("a/b/c", "Exists"), 'key: Invalid value: "a/b/c"'),
        (LabelSelector(matchLabels={"app": "-"}), r"values\[0\]\[app\]: Invalid value: \"-\""),
    ],
)
def test_a_model_that_cannot_be_evaluated_is_refused(model: LabelSelector, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        labels.from_model(model)


@pytest.mark.parametrize(
    ("model", "written"),
    [
        (LabelSelector(matchLabels={"tier": "", "app": "web"}), "app=web,tier="),
        (expression("app", "In", "web", "db"), "app in (db,web)"),
        (expression("app", "NotIn", "web"), "app notin (web)"),
        (expression("app", "Exists"), "app"),
        (expression("app", "DoesNotExist"), "!app"),
        (LabelSelector(), ""),
    ],
)
def test_a_selector_is_written_as_a_query_says_it(model: LabelSelector, written: str) -> None:
    assert str(labels.from_model(model)) == written
