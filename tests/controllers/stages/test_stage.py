import pytest

from memkube.controllers.stages.stage import ChangeFinalizers, finalizers_patch

REMOVE = {"op": "remove", "path": "/metadata/finalizers"}


def add(*names: str) -> dict[str, object]:
    return {"op": "add", "path": "/metadata/finalizers", "value": list(names)}


def remove(place: int) -> dict[str, object]:
    return {"op": "remove", "path": f"/metadata/finalizers/{place}"}


@pytest.mark.parametrize(
    ("present", "step", "patch"),
    [
        ([], ChangeFinalizers(["a"], [], False), [add("a")]),
        (["a"], ChangeFinalizers(["a"], [], False), []),
        (["a"], ChangeFinalizers(["b"], [], False), [{**add(), "path": "/metadata/finalizers/-", "value": "b"}]),
        (["a", "b", "c"], ChangeFinalizers([], ["c", "a"], False), [remove(2), remove(0)]),
        (["a"], ChangeFinalizers([], ["a"], False), [REMOVE]),
        (["a"], ChangeFinalizers([], ["b"], False), []),
        (["a", "b"], ChangeFinalizers(["c"], [], True), [REMOVE, add("c")]),
        ([], ChangeFinalizers([], [], True), []),
        (["a"], ChangeFinalizers(["a"], ["a"], False), [REMOVE, add("a")]),
    ],
)
def test_finalizers_are_changed_as_in_kwok(
    present: list[str], step: ChangeFinalizers, patch: list[dict[str, object]]
) -> None:
    assert finalizers_patch(present, step) == patch
