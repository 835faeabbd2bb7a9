import pytest

from memkube.admission.pod_toleration_restriction import tolerations_of
from memkube.apis.core.v1.podspec.tolerations import merged_tolerations
from memkube.apis.core.v1.podspec.types.scheduling import Toleration


def _toleration(text: str) -> Toleration:
    """Parse ``key operator value effect seconds``, where a dot stands for an absent part."""
    key, operator, value, effect, seconds = ("" if part == "." else part for part in text.split())
    number = int(seconds) if seconds else None
    return Toleration(key=key, operator=operator, value=value, effect=effect, tolerationSeconds=number)


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        (["a Exists . . ."], ["a Exists . . ."], ["a Exists . . ."]),
        (["a Equal x . ."], ["a Exists . . ."], ["a Exists . . ."]),
        (["a Exists . . ."], ["a Equal x . ."], ["a Exists . . ."]),
        (["a Equal x . ."], ["a . x . ."], ["a . x . ."]),
        (["a Equal x . ."], ["b Exists . . ."], ["a Equal x . .", "b Exists . . ."]),
        (["a Equal x . ."], [". Exists . . ."], [". Exists . . ."]),
        (
            ["a Exists . NoSchedule ."],
            ["a Exists . NoExecute ."],
            ["a Exists . NoSchedule .", "a Exists . NoExecute ."],
        ),
        (["a Exists . NoExecute 5"], ["a Exists . NoExecute 9"], ["a Exists . NoExecute 9"]),
        (["a Exists . NoExecute ."], ["a Exists . NoExecute 9"], ["a Exists . NoExecute ."]),
        (["a Exists . NoExecute 5"], ["a Exists . . 1"], ["a Exists . . 1"]),
        (["a Gt 1 . ."], ["a Gt 2 . ."], ["a Gt 1 . .", "a Gt 2 . ."]),
    ],
)
def test_only_what_covers_the_rest_is_kept(first: list[str], second: list[str], result: list[str]) -> None:
    assert merged_tolerations([*map(_toleration, first)], [*map(_toleration, second)]) == [*map(_toleration, result)]


def test_an_annotation_without_tolerations_has_none() -> None:
    assert tolerations_of("null") == tolerations_of("[]") == tolerations_of("") == []
