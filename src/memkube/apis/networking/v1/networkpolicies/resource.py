"""NetworkPolicies: allowed network traffic of pods."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="NetworkPolicy",
    plural="networkpolicies",
    singular="networkpolicy",
    short_names=("netpol",),
    model=Lazy("memkube.apis.networking.v1.networkpolicies.types:NetworkPolicy"),
    strategy=Lazy("memkube.apis.networking.v1.networkpolicies.strategy:NetworkPolicyStrategy()"),
    printer=Lazy("memkube.apis.networking.v1.networkpolicies.columns:PRINTER"),
)
