"""The authorizer of a server, by its modes of authorization (``pkg/kubeapiserver/authorizer``)."""

from collections.abc import Callable, Sequence

from memkube.auth.authorization.always_deny import AlwaysDeny
from memkube.auth.authorization.interface import AlwaysAllow, Authorizer
from memkube.auth.authorization.modes import ALWAYS_ALLOW, ALWAYS_DENY, NODE, RBAC
from memkube.auth.authorization.node.authorizer import NodeAuthorizer
from memkube.auth.authorization.node.graph import NodeGraph
from memkube.auth.authorization.privileged import PrivilegedGroup
from memkube.auth.authorization.rbac.authorizer import RbacAuthorizer
from memkube.auth.authorization.rbac.escalation import PolicyBasedChecks
from memkube.auth.authorization.rbac.policy import Policy
from memkube.auth.authorization.union import Union
from memkube.registry.declarations.kind_services import KindServices
from memkube.registry.registry import Registry


def set_authorizer(services: KindServices, modes: Sequence[str], registry: Registry) -> None:
    """Set the authorizer and the escalation checks of `services`. Both read the roles and bindings in `registry`."""
    policy = Policy(registry)
    services.authorizer = authorizer_of(modes, policy, registry)
    services.escalation = PolicyBasedChecks(policy, services.authorizer)


def authorizer_of(modes: Sequence[str], policy: Policy, registry: Registry) -> Authorizer:
    """Return the authorizer that asks the authorizers of the modes in order, after allowing all to system:masters."""
    makers: dict[str, Callable[[], Authorizer]] = {
        ALWAYS_ALLOW: AlwaysAllow,
        ALWAYS_DENY: AlwaysDeny,
        NODE: lambda: NodeAuthorizer(NodeGraph(registry)),
        RBAC: lambda: RbacAuthorizer(policy),
    }
    return Union([PrivilegedGroup(), *(makers[mode]() for mode in modes)])
