from typing import Any

import pytest

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    aggregate_message,
    duplicate,
    forbidden,
    internal_error,
    invalid,
    invalid_typed,
    not_found,
    not_supported,
    not_supported_string,
    required,
    too_long,
    too_many,
)


def test_a_path_is_written_with_dots_positions_and_keys() -> None:
    path = FieldPath("spec").child("containers").item(2).child("resources").child("limits").key("cpu")
    assert path == "spec.containers[2].resources.limits[cpu]"


def test_an_empty_path_begins_with_its_first_child() -> None:
    assert FieldPath("").child("spec") == "spec"


@pytest.mark.parametrize(
    ("error", "body"),
    [
        (required("a"), "Required value"),
        (required("a", "can not be empty"), "Required value: can not be empty"),
        (forbidden("a", "not here"), "Forbidden: not here"),
        (duplicate("a", "x"), 'Duplicate value: "x"'),
        (not_found("a", "x"), 'Not found: "x"'),
        (invalid("a", "x", "must be y"), 'Invalid value: "x": must be y'),
        (invalid("a", 5, "must be 6"), "Invalid value: 5: must be 6"),
        (invalid("a", None, "must be 6"), "Invalid value: null: must be 6"),
        (not_supported("a", "x", ("A", "B")), 'Unsupported value: "x": supported values: "A", "B"'),
        (not_supported("a", "<no value>", ()), 'Unsupported value: "\\u003cno value\\u003e"'),
        (not_supported("a", "\x01", ()), 'Unsupported value: "\\u0001"'),
        (not_supported_string("a", "<no value>", ()), 'Unsupported value: "<no value>"'),
        (not_supported_string("a", "\x01", ()), 'Unsupported value: "\\x01"'),
        (too_long("a", 1), "Too long: may not be more than 1 byte"),
        (too_long("a", 63), "Too long: may not be more than 63 bytes"),
        (too_many("a", 21, 20), "Too many: 21: must have at most 20 items"),
        (internal_error("a", "oops"), "Internal error: oops"),
    ],
)
def test_each_error_has_the_words_of_the_reference(error: FieldError, body: str) -> None:
    assert error.body == body
    assert str(error) == f"a: {body}"


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ([required("a")], "a: Required value"),
        ([required("a"), required("b")], "[a: Required value, b: Required value]"),
        ([required("a"), required("a")], "a: Required value"),
        ([required("a"), required("b"), required("a")], "[a: Required value, b: Required value]"),
    ],
)
def test_several_errors_are_told_together_and_once(errors: list[FieldError], message: str) -> None:
    assert aggregate_message(errors) == message


@pytest.mark.parametrize("value", [{"b": 1, "a": 2}, [1, 2]])
def test_a_value_that_is_no_string_is_shown_as_json(value: Any) -> None:
    shown = {2: '{"a":2,"b":1}'}.get(len(value)) if isinstance(value, dict) else "[1,2]"
    assert invalid("a", value, "").body == f"Invalid value: {shown}"


def test_a_string_of_a_go_type_of_its_own_is_shown_as_json() -> None:
    assert invalid_typed("a", "<&\x7f>", "").body == 'Invalid value: "\\u003c\\u0026\x7f\\u003e"'
    assert invalid("a", "<&\x7f>", "").body == 'Invalid value: "<&\\x7f>"'
    assert invalid_typed("a", None, "").body == "Invalid value: null"


def test_paths_are_made_once_unless_a_client_had_a_say_in_them() -> None:
    path = FieldPath("spec").child("containers").item(0)
    assert path is FieldPath("spec").child("containers").item(0)
    keyed = path.key("mine").child("name").item(1)
    assert keyed == "spec.containers[0][mine].name[1]"
    assert keyed is not path.key("mine").child("name").item(1)
