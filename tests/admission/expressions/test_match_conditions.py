import pytest

from memkube.admission.expressions.evaluation import OUT_OF_BUDGET, Inputs
from memkube.admission.expressions.match_conditions import Match, MatchConditions
from memkube.apis.admissionregistration.v1.rules.types import MatchCondition
from memkube.apis.core.v1.configmaps.resource import RESOURCE
from memkube.cel.functions.authorizers import AlwaysAllow
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.request_options import WriteContext

MISSING = "expression 'object.data.none == 1' resulted in error: no such key: none"
DIVIDED = "expression '1/0 == 1' resulted in error: division by zero"
CHECK = "authorizer.path('/x').check('get').allowed()"


def met(*expressions: str, failure_policy: str = "Fail") -> Match:
    """Evaluate these match conditions for a new ConfigMap."""
    attributes = Attributes(RESOURCE, "", "CREATE", "ns", "one", None, None, WriteContext())
    inputs = Inputs({"data": {"k": "v"}}, None, {"name": "one"}, attributes, authority=AlwaysAllow())
    named = [MatchCondition(name=f"c{index}", expression=text) for index, text in enumerate(expressions)]
    return MatchConditions(named, failure_policy).match(inputs)


@pytest.mark.parametrize(
    ("expressions", "match"),
    [
        ((), Match(matches=True)),
        (("true", "object.data.k == 'v'"), Match(matches=True)),
        (("true", "false"), Match(matches=False)),
        (("1/0 == 1", "false"), Match(matches=False)),
        (("true", "1/0 == 1"), Match(matches=False, error=DIVIDED)),
        (("1/0 == 1", "object.data.none == 1", "1/0 == 1"), Match(matches=False, error=f"[{DIVIDED}, {MISSING}]")),
    ],
)
def test_one_false_condition_outweighs_all_errors(expressions: tuple[str, ...], match: Match) -> None:
    assert met(*expressions) == match


def test_where_failures_are_ignored_an_error_is_no_match() -> None:
    assert met("1/0 == 1", failure_policy="Ignore") == Match(matches=False)


def test_all_conditions_share_one_budget() -> None:
    assert met(*[CHECK] * 7) == Match(matches=True)
    assert met(*[CHECK] * 8) == Match(matches=False, error=OUT_OF_BUDGET)
