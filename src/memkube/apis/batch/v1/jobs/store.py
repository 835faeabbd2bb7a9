"""Deleting jobs: a client that does not say what becomes of the pods is warned that they stay."""

from typing import Final

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.context import WriteContext
from memkube.registry.deletion import Deletion
from memkube.registry.listing import ObjectList
from memkube.registry.options import ListOptions
from memkube.registry.store import Store

_PODS_STAY: Final = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them "
    "or set propagationPolicy=Orphan to suppress this warning"
)


class JobStore(Store):
    """Source: ``pkg/registry/batch/job/storage/storage.go``."""

    async def delete(self, name: str, options: DeleteOptions, context: WriteContext) -> Deletion:
        """See Store."""
        _warn(options, context)
        return await super().delete(name, options, context)

    async def delete_collection(self, listed: ListOptions, options: DeleteOptions, context: WriteContext) -> ObjectList:
        """See Store."""
        _warn(options, context)
        return await super().delete_collection(listed, options, context)


def _warn(options: DeleteOptions, context: WriteContext) -> None:
    if options.propagationPolicy is None and options.orphanDependents is None:
        context.warn(_PODS_STAY)
