"""Maps the claims of a verified token to a user (apiserver ``authentication/cel`` and ``token/oidc``)."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from memkube.apimachinery.shown_values import quoted
from memkube.auth.authentication.oidc.configuration import JWTAuthenticator, PrefixedClaimOrExpression
from memkube.auth.authentication.oidc.expressions import compile_mapping, compile_rule
from memkube.cel.environment import Compiled, CompileError
from memkube.cel.errors import BudgetExhausted, CostLimitExceeded, EvaluationError
from memkube.cel.program import PER_CALL_LIMIT, Budget, Program
from memkube.registry.declarations.authentication import RejectedTokenError
from memkube.registry.declarations.request_options import User

Claims = Mapping[str, Any]
_Evaluate = Callable[[object], object]
_CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"


class ClaimsMapper:
    """Maps the claims of a token to a user by the rules of one provider, and checks the validation rules."""

    def __init__(self, configuration: JWTAuthenticator) -> None:
        """Compile the expressions of the provider's configuration.

        Raises ValueError with a one-line message if an expression does not compile.
        """
        mappings = configuration.claimMappings
        self._mappings = mappings
        self._username = _evaluating("claims", mappings.username.expression)
        self._groups = _evaluating("claims", mappings.groups.expression)
        self._uid = _evaluating("claims", mappings.uid.expression)
        self._extra = {one.key: _evaluating("claims", one.valueExpression) for one in mappings.extra}
        rules = configuration.claimValidationRules
        self._required = {rule.claim: rule.requiredValue for rule in rules if rule.claim}
        self._claim_rules = [(rule, _checking("claims", rule.expression)) for rule in rules if rule.expression]
        self._user_rules = [(rule, _checking("user", rule.expression)) for rule in configuration.userValidationRules]

    def user_of(self, claims: Claims) -> User:
        """Return the user that a token's claims describe.

        Raises RejectedTokenError if a claim is missing or a validation rule is not met.
        """
        name = self._name(claims)
        extra: dict[str, tuple[str, ...]] = {}
        if isinstance(claims.get("jti"), str) and claims["jti"]:
            extra[_CREDENTIAL_ID] = (f"JTI={claims['jti']}",)
        for key, evaluate in self._extra.items():
            values = _strings(evaluate(claims), f"extra {quoted(key)}")
            if values:
                extra[key] = values
        user = User(name, self._user_id(claims), self._group_names(claims), extra)
        self._check(claims, user)
        return user

    def _name(self, claims: Claims) -> str:
        wanted = self._mappings.username
        if wanted.expression:
            name = self._username(claims)
            if not isinstance(name, str) or not name:
                raise RejectedTokenError("oidc: the expression of the user name must return a text that is not empty")
            return name
        name = _claim(claims, wanted.claim, str)
        if wanted.claim == "email" and "email_verified" in claims and not _claim(claims, "email_verified", bool):
            raise RejectedTokenError("oidc: email not verified")
        return f"{wanted.prefix or ''}{name}"

    def _group_names(self, claims: Claims) -> tuple[str, ...]:
        wanted: PrefixedClaimOrExpression = self._mappings.groups
        if wanted.expression:
            return _strings(self._groups(claims), "groups")
        if not wanted.claim:
            return ()
        if wanted.claim not in claims:
            distributed = claims.get("_claim_names")
            if isinstance(distributed, dict) and wanted.claim in distributed:
                raise RejectedTokenError(f"oidc: distributed claims are not supported: {quoted(wanted.claim)}")
            return ()
        groups = claims[wanted.claim]
        if isinstance(groups, str):
            groups = [groups]
        if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
            raise RejectedTokenError(f"oidc: parse groups claim {quoted(wanted.claim)}: not a text or a list of texts")
        return tuple(f"{wanted.prefix or ''}{group}" for group in groups)

    def _user_id(self, claims: Claims) -> str:
        wanted = self._mappings.uid
        if wanted.claim:
            return str(_claim(claims, wanted.claim, str))
        if not wanted.expression:
            return ""
        uid = self._uid(claims)
        if not isinstance(uid, str):
            raise RejectedTokenError("oidc: the expression of the uid must return a text")
        return uid

    def _check(self, claims: Claims, user: User) -> None:
        for claim, value in self._required.items():
            if claim not in claims:
                raise RejectedTokenError(f"oidc: required claim {claim} not present in ID token")
            if _claim(claims, claim, str) != value:
                raise RejectedTokenError(f"oidc: required claim {claim} value does not match")
        for claim_rule, evaluate in self._claim_rules:
            if evaluate(claims) is not True:
                raise RejectedTokenError(f"oidc: {claim_rule.message or claim_rule.expression}")
        shown: dict[str, object] = {"username": user.name, "uid": user.uid, "groups": list(user.groups)}
        shown["extra"] = {key: list(values) for key, values in user.extra.items()}
        for user_rule, evaluate in self._user_rules:
            if evaluate(shown) is not True:
                raise RejectedTokenError(f"oidc: {user_rule.message or user_rule.expression}")


def _claim(claims: Claims, name: str, kind: type) -> Any:
    if name not in claims:
        raise RejectedTokenError(f"oidc: claim not present: {name}")
    value = claims[name]
    if not isinstance(value, kind):
        raise RejectedTokenError(f"oidc: parse claim {name}: not a {kind.__name__}")
    return value


def _strings(value: object, what: str) -> tuple[str, ...]:
    """Convert the result of a CEL expression to a tuple of strings.

    A string gives one item, a list all its items that are not empty, and null and the empty string none. Raises
    RejectedTokenError for any other result; `what` names the expression in the message.
    """
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(one for one in value if one)
    raise RejectedTokenError(f"oidc: the expression of {what} must return a text or a list of texts")


def _evaluating(variable: str, expression: str) -> _Evaluate:
    """Return a function that evaluates a CEL expression: it gets the value of the variable `variable`.

    If `expression` is empty, the function returns None. Raises ValueError if the expression does not compile. The
    returned function raises RejectedTokenError if the evaluation fails.
    """
    return _evaluate(variable, expression, compile_mapping(expression)) if expression else lambda _: None


def _checking(variable: str, expression: str) -> _Evaluate:
    """Return a function that evaluates a condition. Raises ValueError if the expression does not compile."""
    return _evaluate(variable, expression, compile_rule(variable, expression))


def _evaluate(variable: str, expression: str, compiled: Compiled | CompileError) -> _Evaluate:
    if isinstance(compiled, CompileError):
        raise ValueError(f"expression {quoted(expression)}: {' '.join(compiled.detail.split())}")
    program = Program(compiled)

    def evaluate(value: object) -> object:
        try:
            return program.evaluate({variable: value}, Budget(PER_CALL_LIMIT))
        except (EvaluationError, BudgetExhausted, CostLimitExceeded) as error:
            raise RejectedTokenError(f"oidc: error evaluating {quoted(expression)}: {error}") from None

    return evaluate
