"""Declaration of ServiceAccounts as an API resource. The catalog adds their ``token`` subresource."""

from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ServiceAccount",
    plural="serviceaccounts",
    short_names=("sa",),
    model=lazy("types:ServiceAccount"),
    strategy=lazy("strategy:ServiceAccountStrategy()"),
)
