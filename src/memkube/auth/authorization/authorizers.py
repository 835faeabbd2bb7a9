"""Creates the authorizer of a server from its modes of authorization (``pkg/kubeapiserver/authorizer``)."""

from collections.abc import Callable, Sequence
from datetime import datetime
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
from memkube.auth.authorization.webhook.options import WebhookOptions
from memkube.hooks.client import HookClient
from memkube.registry.declarations.kind_services import KindServices
from memkube.registry.registry import Registry


class Webhooks(NamedTuple):
    """Options of the webhooks that authorize requests, with the HTTP client and the clock.

    There are options for each mode ``Webhook``.
    """

    options: Sequence[WebhookOptions]
    client: HookClient
    now: Callable[[], datetime]
    """Function that returns the current time of the server's clock."""


def set_authorizer(services: KindServices, modes: Sequence[str], registry: Registry, webhooks: Webhooks) -> None:
    """Set the authorizer and the escalation checks in `services`. Both read the roles and bindings in `registry`.

    Raises ValueError with a one-line message if the kubeconfig of a webhook cannot be read.
    """
    policy = Policy(registry)
    services.authorizer = _authorizer_of(modes, policy, registry, webhooks)
    services.escalation = PolicyBasedChecks(policy, services.authorizer)


def _authorizer_of(modes: Sequence[str], policy: Policy, registry: Registry, webhooks: Webhooks) -> Authorizer:
    """Return the authorizer for a list of modes.

    It allows all requests of members of ``system:masters``, and asks the authorizers of the modes in order about other
    requests.
    """
    options = iter(webhooks.options)
    makers: dict[str, Callable[[], Authorizer]] = {
        ALWAYS_ALLOW: AlwaysAllow,
        ALWAYS_DENY: AlwaysDeny,
        NODE: lambda: NodeAuthorizer(NodeGraph(registry)),
        RBAC: lambda: RbacAuthorizer(policy),
        WEBHOOK: lambda: WebhookAuthorizer(next(options), webhooks.client, webhooks.now),
    }
    union = AskingUnion if WEBHOOK in modes else Union
    return union([PrivilegedGroup(), *(makers[mode]() for mode in modes)])
