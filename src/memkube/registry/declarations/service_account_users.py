"""The users that service accounts are (apiserver ``authentication/serviceaccount/util.go``)."""

from typing import Final

from memkube.apimachinery.names import is_dns1123_subdomain, label_name
from memkube.registry.declarations.request_options import User

_PREFIX: Final = "system:serviceaccount:"
_NODE_NAME: Final = "authentication.kubernetes.io/node-name"


def account_of(name: str) -> tuple[str, str] | None:
    """Return namespace and name of the service account that a user name stands for; None for other users."""
    if not name.startswith(_PREFIX):
        return None
    namespace, _, account = name.removeprefix(_PREFIX).partition(":")
    return None if label_name(namespace) or is_dns1123_subdomain(account) else (namespace, account)


def node_of_account(user: User) -> str:
    """Return the name of the node on which a service account runs, according to its token; "" for other users."""
    names = user.extra.get(_NODE_NAME, ())
    return names[0] if account_of(user.name) is not None and len(names) == 1 else ""
