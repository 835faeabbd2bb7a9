import pytest

from memkube.cel.environment import Compiled, base_environment
from memkube.cel.selections import selects_field
from memkube.cel.types import DYN, STRING, map_of


@pytest.mark.parametrize(
    ("expression", "selects"),
    [
        ("claims.email", True),
        ("has(claims.email)", True),
        ("claims.?email.orValue('a')", True),
        ("['a'].exists(x, x == claims.email)", True),
        ("{'a': claims.email}", True),
        ("claims.email.domain", True),
        ("claims['email']", False),
        ("claims.sub.email", False),
        ("claims.email_verified", False),
    ],
)
def test_selections_of_a_field_are_found(expression: str, selects: bool) -> None:
    compiled = base_environment().extended({"claims": map_of(STRING, DYN)}).compile(expression)
    assert isinstance(compiled, Compiled)
    assert selects_field(compiled.ast, "claims", "email") is selects
