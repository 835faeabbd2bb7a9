"""Declaration of the ``eviction`` subresource of pods."""

from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import CreateSubresource

lazy = LazyPackage(__package__)

SUBRESOURCE = CreateSubresource(
    "eviction",
    "Eviction",
    model=lazy("eviction:Eviction"),
    create=lazy("eviction:evict"),
    group="policy",
    version="v1",
    accepted_versions=("policy/v1beta1",),
)
