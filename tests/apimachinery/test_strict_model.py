import pytest
from pydantic import Field, ValidationError

from memkube.apimachinery.strict_model import StrictModel


class _Log(StrictModel):
    lines: list[str]


class _Rule(StrictModel):
    exit_code: int = Field(default=0, alias="exitCode")
    log: _Log | None = None


def _problems(data: object) -> dict[str, str]:
    with pytest.raises(ValidationError) as caught:
        _Rule.model_validate(data)
    return {".".join(map(str, problem["loc"])): problem["msg"] for problem in caught.value.errors()}


def test_a_misspelt_field_is_answered_with_the_nearest_one() -> None:
    assert _problems({"exitcode": 1}) == {
        "exitcode": "unknown field 'exitcode': did you mean 'exitCode'? Choose from exitCode, log"
    }


def test_a_model_inside_names_its_own_fields_once() -> None:
    assert _problems({"log": {"line": [], "lines": []}, "x": 1}) == {
        "log.line": "unknown field 'line': did you mean 'lines'? Choose from lines",
        "x": "unknown field 'x': choose from exitCode, log",
    }


def test_other_problems_keep_their_messages() -> None:
    assert _problems({"exitCode": "a{b}", "zzz": 1}) == {
        "exitCode": "Input should be a valid integer, unable to parse string as an integer",
        "zzz": "unknown field 'zzz': choose from exitCode, log",
    }
