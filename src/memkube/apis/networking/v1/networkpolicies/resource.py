from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="NetworkPolicy",
    plural="networkpolicies",
    short_names=("netpol",),
    model=lazy("types:NetworkPolicy"),
    strategy=lazy("strategy:NetworkPolicyStrategy()"),
    printer=lazy("columns:PRINTER"),
)
