from typing import Any

import pytest

from memkube.controllers.stages.languages.cel import CelExpression, CelFailed

VOLUME: dict[str, Any] = {"metadata": {"name": "v"}, "spec": {"size": 2, "class": "fast"}, "status": {"phase": "Bound"}}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("self.spec.class == 'fast'", True),
        ("!has(self.metadata.deletionTimestamp)", True),
        ("!(self.status.phase in ['Bound', 'Released'])", False),
        ("self.spec.size > 1 && self.metadata.name.startsWith('v')", True),
    ],
)
def test_conditions_are_evaluated(text: str, result: bool) -> None:
    assert CelExpression(text).condition(VOLUME) is result


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("duration('2s')", 2_000_000_000), ("'1m'", 60_000_000_000), ("self.spec.size * 5", 10), ("2.5", 2)],
)
def test_durations_have_several_forms(text: str, nanoseconds: int) -> None:
    assert CelExpression(text).nanoseconds(VOLUME) == nanoseconds


@pytest.mark.parametrize(
    ("text", "weight"),
    [("self.spec.size", 2), ("2.9", 2), ("true", 1), ("duration('1s')", 10**9), ("1.0 / 0.0", -(2**63))],
)
def test_weights_have_several_forms(text: str, weight: int) -> None:
    assert CelExpression(text).integer(VOLUME) == weight


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("self.spec.missing == 'x'", "no such key: missing"),
        ("self.spec.size", "the result of the CEL expression is not a boolean"),
    ],
)
def test_what_has_no_result_fails(text: str, message: str) -> None:
    with pytest.raises(CelFailed, match=message):
        CelExpression(text).condition(VOLUME)


@pytest.mark.parametrize("text", ["Now() == 1", "self.", "other.spec", "1 + 'a'", "quantity('1k')"])
def test_what_is_not_supported_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="CEL expression") as refusal:
        CelExpression(text)
    assert "\n" not in str(refusal.value)
