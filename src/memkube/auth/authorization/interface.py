"""The interface of authorizers.

Its types are declared in the package ``registry``, because strategies of kinds, which must not import this package,
call the authorizer too.
"""

from memkube.registry.declarations.authorization import (
    AlwaysAllow,
    Attributes,
    Authorizer,
    Decision,
    LocalAuthorizer,
    NotAllowed,
    Rule,
    UserRules,
    Verdict,
    forbidden_request,
)

__all__ = [
    "AlwaysAllow",
    "Attributes",
    "Authorizer",
    "Decision",
    "LocalAuthorizer",
    "NotAllowed",
    "Rule",
    "UserRules",
    "Verdict",
    "forbidden_request",
]
