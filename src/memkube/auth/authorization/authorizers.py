"""Creates the authorizer of a server from its modes of authorization (``pkg/kubeapiserver/authorizer``)."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import NamedTuple

from memkube.auth.authorization.always_deny import AlwaysDeny
from memkube.auth.authorization.interface import AlwaysAllow, Authorizer
from memkube.auth.authorization.modes import ALWAYS_ALLOW, ALWAYS_DENY, NODE, RBAC, WEBHOOK
from memkube.auth.authorization.node.authorizer import NodeAuthorizer
from memkube.auth.authorization.node.graph import NodeGraph
from memkube.auth.authorization.privileged import PrivilegedGroup
from memkube.auth.authorization.rbac.authorizer import RbacAuthorizer
from memkube.auth.authorization.rbac.escalation import PolicyBasedChecks
from memkube.auth.authorization.rbac.policy import Policy
from memkube.auth.authorization.union import AskingUnion, Union
from memkube.auth.authorization.webhook.authorizer import WebhookAuthorizer
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.hooks.client import HookClient
from memkube.registry.declarations.kind_services import KindServices
from memkube.registry.registry import Registry
from memkube.telemetry.measures import ConfigurationReloads


class AuthorizerParts(NamedTuple):
    """Parts of a server that its authorizers use, for example to read roles and to call webhooks."""

    registry: Registry
    """Registry with the roles, bindings and nodes."""
    client: HookClient
    now: Callable[[], datetime]
    """Function that returns the current time of the server's clock."""
    reloads: ConfigurationReloads
    """Counts the reloads of the AuthorizationConfiguration."""


def set_authorizer(services: KindServices, configured: ConfiguredAuthorizers, parts: AuthorizerParts) -> None:
    """Create the server's authorizer and its checks against privilege escalation, and store both in `services`.

    `configured` has the modes of authorization, and `parts` the parts of the server that authorizers use. The checks
    compare the rules in a role that a user writes with the rules that apply to the user. Raises ValueError with a
    one-line message if the configuration file or the kubeconfig of a webhook cannot be read.
    """
    policy = Policy(parts.registry)
    create = _creator(policy, parts)
    if configured.file is None:
        services.authorizer = create(configured)
    else:
        # The module that reads the configuration file is imported only if there is a file, as few servers have one.
        from memkube.auth.authorization.reloading import ReloadingAuthorizer  # noqa: PLC0415
        from memkube.auth.configuration_file import ConfigurationFile  # noqa: PLC0415

        file = ConfigurationFile(configured.file, "authorization", parts.reloads, parts.now)
        services.authorizer = ReloadingAuthorizer(file, configured, create)
    services.escalation = PolicyBasedChecks(policy, services.authorizer)


def _creator(policy: Policy, parts: AuthorizerParts) -> Callable[[ConfiguredAuthorizers], Authorizer]:
    """Return a function that creates the authorizer for a list of modes, such as Node and RBAC.

    The created authorizer allows all requests of members of ``system:masters``, and asks the authorizers of the modes
    in order about other requests. The Node authorizer and the RBAC authorizer are created once, and used again each
    time the function is called. `policy` reads the roles and bindings for RBAC, and `parts` are the parts of the server
    that authorizers use.
    """
    makers: dict[str, Callable[[], Authorizer]] = {
        ALWAYS_ALLOW: AlwaysAllow,
        ALWAYS_DENY: AlwaysDeny,
        NODE: cache(lambda: NodeAuthorizer(NodeGraph(parts.registry))),
        RBAC: cache(lambda: RbacAuthorizer(policy)),
    }

    def create(configured: ConfiguredAuthorizers) -> Authorizer:
        options = iter(configured.webhooks)

        def webhook() -> Authorizer:
            return WebhookAuthorizer(next(options), parts.client, parts.now)

        union = AskingUnion if WEBHOOK in configured.modes else Union
        chosen = [webhook() if mode == WEBHOOK else makers[mode]() for mode in configured.modes]
        return union([PrivilegedGroup(), *chosen])

    return create
