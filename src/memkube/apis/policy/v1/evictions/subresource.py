"""Declaration of the ``eviction`` subresource of pods."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import CreateSubresource

SUBRESOURCE = CreateSubresource(
    "eviction",
    "Eviction",
    model=Lazy("memkube.apis.policy.v1.evictions.eviction:Eviction"),
    create=Lazy("memkube.apis.policy.v1.evictions.eviction:evict"),
    group="policy",
    version="v1",
    accepted_versions=("policy/v1beta1",),
)
