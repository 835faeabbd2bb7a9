"""The interface of authorizers, for callers in this layer and above.

Its types are declared in the registry, because strategies of kinds below this layer ask the authorizer as well.
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
