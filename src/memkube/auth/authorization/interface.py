"""The interface of authorizers, for callers in this layer and above.

Its types are declared in the registry, because strategies of kinds below this layer ask the authorizer as well.
"""

from memkube.registry.declarations.authorization import (
    Attributes,
    Authorizer,
    Decision,
    Rule,
    UserRules,
    Verdict,
)

__all__ = ["Attributes", "Authorizer", "Decision", "Rule", "UserRules", "Verdict"]
