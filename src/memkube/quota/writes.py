"""Optimistic concurrency of quota updates: admission plugin and controller write the status of the same quotas."""

from typing import Final

from memkube.apimachinery.errors import GroupResource, conflict
from memkube.apis.core.v1.resourcequotas.types import ResourceQuota
from memkube.registry.writes.updating import MODIFIED

_QUOTAS: Final[GroupResource] = GroupResource("", "resourcequotas")


def check_unchanged(newest: ResourceQuota, seen: ResourceQuota) -> None:
    """Raise ApiError (409) if a quota has changed since the revision `seen`, from which a new status was computed."""
    if newest.metadata.resourceVersion != seen.metadata.resourceVersion:
        raise conflict(_QUOTAS, seen.metadata.name, MODIFIED)
