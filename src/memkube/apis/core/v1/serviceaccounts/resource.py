"""Declaration of ServiceAccounts. The catalog adds their ``token`` subresource."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ServiceAccount",
    plural="serviceaccounts",
    singular="serviceaccount",
    short_names=("sa",),
    model=Lazy("memkube.apis.core.v1.serviceaccounts.types:ServiceAccount"),
    strategy=Lazy("memkube.apis.core.v1.serviceaccounts.strategy:ServiceAccountStrategy()"),
    printer=Lazy("memkube.registry.declarations.table:NAME_AND_AGE"),
)
