"""Error messages of invalid expressions, which are those of cel-go."""

import pytest

from memkube.cel.declarations import Fields
from memkube.cel.environment import CompileError, base_environment, compile_to
from memkube.cel.types import BOOL, NULL, STRING, struct
from tests.cel.compiling import VARIABLES, errors_of, type_of


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("nothing", "1:1: undeclared reference to 'nothing' (in container '')"),
        ("object.frob()", "1:12: undeclared reference to 'frob' (in container '')"),
        ("words.existsOne(s, true)", "1:16: undeclared reference to 'existsOne' (in container '')"),
        ("frob(1)", "1:5: undeclared reference to 'frob' (in container '')"),
        ("Thing{}", "1:6: undeclared reference to 'Thing' (in container '')"),
        ("n == 's'", "1:3: found no matching overload for '_==_' applied to '(int, string)'"),
        ("n == 1.0", "1:3: found no matching overload for '_==_' applied to '(int, double)'"),
        ("s.size(1)", "1:7: found no matching overload for 'size' applied to 'string.(int)'"),
        ("quantity('1').sign()", "1:19: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'"),
        ("n && true", "1:1: expected type 'bool' but found 'int'"),
        ("true || s", "1:9: expected type 'bool' but found 'string'"),
        ("n.field", "1:2: type 'int' does not support field selection"),
        (
            "n.all(x, true)",
            "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
        ),
        ("[1, 'a']", "1:5: expected type 'int' but found 'string'"),
        ("{'a': 1, 2: 3}", "1:10: expected type 'string' but found 'int'"),
        ("{'a': 1, 'b': 's'}", "1:15: expected type 'int' but found 'string'"),
        ("[dyn(1), 2]", "1:10: expected type 'dyn' but found 'int'"),
        ("[?1]", "1:3: expected type 'optional_type(int)' but found 'int'"),
        ("words.exists(w, 1)", "1:17: expected type 'bool' but found 'int'"),
        ("quantity('1').value", "1:14: unexpected failed resolution of 'kubernetes.Quantity'"),
        ("string{}", "1:7: 'string' is not a message type"),
        ("s{}", "1:2: 'string' is not a type"),
    ],
)
def test_types_that_do_not_fit_are_told(expression: str, error: str) -> None:
    assert errors_of(expression) == [error]


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("object.", "1:8: Syntax error: no viable alternative at input '.'"),
        ("n > (1", "1:7: Syntax error: missing ')' at '<EOF>'"),
        ("1 = 1", "1:3: Syntax error: token recognition error at: '= '"),
        ("if", "1:1: reserved identifier: if"),
        ("9223372036854775808", "1:1: invalid int literal"),
        ("0xffffffffffffffffff", "1:1: invalid int literal"),
        ("has(object)", "1:5: invalid argument to has() macro"),
        ("words.all(a.b, true)", "1:12: argument must be a simple name"),
        ("words.existsOne(1, w, true)", "1:17: argument must be a simple name"),
        ("words.map(1, true)", "1:11: argument is not an identifier"),
        ("words.filter(1, true)", "1:14: argument is not an identifier"),
        ("optional.of(1).optMap(1, 2)", "1:23: optMap() variable name must be a simple identifier"),
        ("object.`a-b`", "1:8: unsupported syntax: '`'"),
        ("a ? b", "1:6: Syntax error: mismatched input '<EOF>' expecting ':'"),
        ("x" * 100_001, "-1:0: expression code point size exceeds limit: size: 100001, limit 100000"),
    ],
)
def test_what_cannot_be_parsed_is_told(expression: str, error: str) -> None:
    assert errors_of(expression)[0] == error


def test_an_empty_expression_ends_before_it_begins() -> None:
    (error,) = errors_of("")
    assert error.startswith("1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(',")


def test_a_question_mark_is_written_as_it_is() -> None:
    (error,) = errors_of("Object{")
    assert error == "1:8: Syntax error: mismatched input '<EOF>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("duration('1x')", "1:10: invalid duration argument"),
        ("duration('2562048h')", "1:10: invalid duration argument"),
        ("timestamp('today')", "1:11: invalid timestamp argument"),
        ("s.matches('(')", "1:11: invalid matches argument"),
        (
            "'%d'.format(['a'])",
            "1:14: error during formatting: decimal clause can only be used on integers, was given string",
        ),
        ("'%s %s'.format(['a'])", "1:15: index 1 out of range"),
        ("'%s'.format(['a', 'b'])", "1:12: too many arguments supplied to string.format (expected 1, got 2)"),
        ("'%'.format(['a'])", "1:11: unexpected end of string"),
        ("'%z'.format(['a'])", '1:12: could not parse formatting clause: unrecognized formatting clause "z"'),
        (
            "'%.2f'.format([1])",
            "1:16: error during formatting: fixed-point clause can only be used on doubles, was given int",
        ),
    ],
)
def test_literals_are_looked_into(expression: str, error: str) -> None:
    assert errors_of(expression) == [error]


def test_not_everything_can_be_printed() -> None:
    (error,) = errors_of("'%s'.format([optional.of(1)])")
    assert error.startswith("1:25: error during formatting: string clause can only be used on strings, bools,")
    assert error.endswith("durations, and timestamps, was given optional_type")


def test_errors_come_by_their_places_with_a_mark_below_the_line() -> None:
    compiled = VARIABLES.compile("b + 'ü' ==\n\ta")
    assert compiled == CompileError(
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'b' (in container '')\n"
        " | b + 'ü' ==\n | ^\n"
        "ERROR: <input>:2:2: undeclared reference to 'a' (in container '')\n"
        " |  a\n | .^"
    )


def test_wide_characters_have_wide_marks() -> None:
    compiled = VARIABLES.compile("'ü' + 1")
    assert isinstance(compiled, CompileError)
    assert compiled.detail.splitlines()[-1] == " | .．..^"  # noqa: RUF001 - the mark that the reference draws


def test_no_more_than_a_hundred_errors_are_told() -> None:
    compiled = VARIABLES.compile(f"[{', '.join(f'a{number}' for number in range(103))}]")
    assert isinstance(compiled, CompileError)
    assert compiled.detail.endswith("\n3 more errors were truncated")


def test_fields_of_objects_are_known() -> None:
    thing = Fields("example.Thing", {"name": STRING})
    environment = base_environment().extended({"thing": thing.type}, [thing])
    assert type_of("thing.name", environment) == "string"
    assert type_of("thing", environment) == "example.Thing"
    assert type_of("thing == null", environment) == "bool"
    assert errors_of("thing.other", environment) == ["1:6: undefined field 'other'"]
    assert errors_of("example.Thing{name: 1}", environment) == [
        "1:19: expected type of field 'name' is 'string' but provided type is 'int'"
    ]


def test_variables_may_have_dots_in_their_names() -> None:
    environment = base_environment().extended({"a": struct("A"), "a.b": STRING})
    assert type_of("a.b", environment) == "string"
    assert errors_of("a.c", environment) == ["1:2: unexpected failed resolution of 'A'"]


@pytest.mark.parametrize(
    ("expression", "why"),
    [("1", "must evaluate to bool but got int"), ("object.x", "must evaluate to bool but got dyn")],
)
def test_an_expression_has_to_come_to_its_type(expression: str, why: str) -> None:
    assert compile_to(VARIABLES, expression, BOOL) == CompileError(why)


def test_several_types_are_told_together() -> None:
    assert compile_to(VARIABLES, "1", STRING, NULL) == CompileError(
        "must evaluate to one of [string null_type] but got int"
    )
