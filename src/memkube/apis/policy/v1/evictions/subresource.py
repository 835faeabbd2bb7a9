"""Evictions: deletions of pods that ask the pods' disruption budgets first."""

from memkube.apis.policy.v1.evictions.evict import evict
from memkube.apis.policy.v1.evictions.types import Eviction
from memkube.registry.resource import Subresource

SUBRESOURCE = Subresource(
    name="eviction",
    verbs=("create",),
    model=Eviction,
    kind="Eviction",
    group="policy",
    version="v1",
    accepted_versions=("policy/v1beta1",),
    create=evict,
    tabular=False,
)
