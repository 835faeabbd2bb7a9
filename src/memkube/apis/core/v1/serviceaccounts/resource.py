"""ServiceAccounts: identities of programs. Tokens are not issued, so there is no ``token`` below them."""

from memkube.apis.core.v1.serviceaccounts.columns import PRINTER
from memkube.apis.core.v1.serviceaccounts.strategy import ServiceAccountStrategy
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ServiceAccount",
    plural="serviceaccounts",
    singular="serviceaccount",
    short_names=("sa",),
    model=ServiceAccount,
    strategy=ServiceAccountStrategy(),
    printer=PRINTER,
)
