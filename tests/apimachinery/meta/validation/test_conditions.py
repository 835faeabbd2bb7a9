from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.meta.validation.conditions import validate_conditions
from memkube.apimachinery.time import Time

PATH = FieldPath("conditions")
RIGHT = Condition(type="Ready", status="True", reason="Ok", lastTransitionTime=Time("2026-01-01T00:00:00Z"))


def test_a_complete_condition_is_right() -> None:
    assert validate_conditions([RIGHT], PATH) == []


def test_an_empty_condition_lacks_everything() -> None:
    errors = validate_conditions([Condition()], PATH)
    assert [error.field.removeprefix("conditions[0].") for error in errors] == [
        "type", "type", "status", "lastTransitionTime", "reason",
    ]  # fmt: skip


def test_a_type_is_there_once() -> None:
    errors = validate_conditions([RIGHT, RIGHT], PATH)
    assert [str(error) for error in errors] == ['conditions[1].type: Duplicate value: "Ready"']


def test_a_reason_is_one_word() -> None:
    errors = validate_conditions([RIGHT.model_copy(update={"reason": "not one"})], PATH)
    assert [error.field for error in errors] == ["conditions[0].reason"]


def test_a_message_has_32_kib_at_most() -> None:
    errors = validate_conditions([RIGHT.model_copy(update={"message": "x" * 32769})], PATH)
    assert [error.body for error in errors] == ["Too long: may not be more than 32768 bytes"]
