"""Authorization checks: the attributes that the authorizer receives, and its decisions."""

import pytest

from memkube.apimachinery import fields
from memkube.cel.functions.authorizers import (
    AlwaysAllow,
    AuthorizationCheck,
    AuthorizationResult,
    Authorizer,
    ResourceCheck,
)
from memkube.cel.values import Value
from tests.cel.functions.evaluating import error_of, value_of


class Asked:
    """An authorizer that records its questions and allows all except those about objects named ``deny``."""

    def __init__(self) -> None:
        self.questions: list[tuple[str, AuthorizationCheck]] = []

    def decide(self, question: AuthorizationCheck) -> AuthorizationResult:
        return self.decide_for("me", question)

    def decide_for(self, user: str, question: AuthorizationCheck) -> AuthorizationResult:
        self.questions.append((user, question))
        return AuthorizationResult(question.verb != "deny", "because", "broken" if question.verb == "fail" else None)

    def as_service_account(self, namespace: str, name: str) -> "Account":
        return Account(self, f"{namespace}:{name}")


class Account(Asked):
    def __init__(self, asked: Asked, user: str) -> None:
        super().__init__()
        self._asked = asked
        self._user = user

    def decide(self, question: AuthorizationCheck) -> AuthorizationResult:
        return self._asked.decide_for(self._user, question)


def test_a_question_has_all_that_was_told() -> None:
    asked = Asked()
    check = (
        "authorizer.serviceAccount('ns', 'sa').group('apps').resource('deployments').subresource('scale')"
        ".namespace('a').name('b').fieldSelector('c=d').labelSelector('(').check('get').allowed()"
    )
    assert value_of(check, {"authorizer": Authorizer(asked)}) is True
    ((user, question),) = asked.questions
    assert user == "ns:sa"
    assert (question.verb, question.group, question.resource, question.subresource) == (
        "get",
        "apps",
        "deployments",
        "scale",
    )
    assert (question.namespace, question.name) == ("a", "b")
    assert isinstance(question.selected_by_fields, fields.FieldSelector)
    assert isinstance(question.selected_by_labels, str)


def test_a_path_may_be_asked_for() -> None:
    asked = Asked()
    assert value_of("authorizer.path('/healthz').check('deny').allowed()", {"authorizer": Authorizer(asked)}) is False
    assert asked.questions == [("me", AuthorizationCheck("deny", path="/healthz"))]


@pytest.mark.parametrize(
    ("verb", "answers"),
    [("get", [False, "", True, "because"]), ("fail", [True, "broken", True, "because"])],
)
def test_an_answer_is_taken_apart(verb: str, answers: list[Value]) -> None:
    parts = ("errored", "error", "allowed", "reason")
    variables = {"authorizer": Authorizer(Asked())}
    assert [value_of(f"authorizer.path('/').check('{verb}').{part}()", variables) for part in parts] == answers


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("authorizer.path(' ')", "path must not be empty"),
        ("authorizer.group('').resource('')", "resource must not be empty"),
        ("authorizer.serviceAccount('ns', 'S')", "Invalid service account name"),
        ("authorizer.serviceAccount('a.b', 'sa')", "Invalid service account namespace"),
        ("authorizer.group('') == authorizer.group('')", "no such overload"),
        ("authorizer == authorizer", "no such overload"),
    ],
)
def test_some_questions_cannot_be_asked(expression: str, error: str) -> None:
    assert error_of(expression, {"authorizer": Authorizer(AlwaysAllow())}) == error


def test_the_resource_of_a_request_is_a_question_already() -> None:
    asked = Asked()
    check = ResourceCheck(asked, "apps", "deployments", namespace="a", name="b")
    assert value_of("x.name('c').check('get').allowed()", {"x": check}) is True
    assert asked.questions == [
        ("me", AuthorizationCheck("get", group="apps", resource="deployments", namespace="a", name="c"))
    ]


def test_whoever_is_asked_today_allows_anything() -> None:
    expression = "authorizer.serviceAccount('ns', 'sa').path('/').check('get').allowed()"
    assert value_of(expression, {"authorizer": Authorizer(AlwaysAllow())}) is True
