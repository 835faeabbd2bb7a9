"""Objects of another cluster, put beside those that a server has."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry, SavedObjects
from memkube.snapshots.kinds import KeptKinds

_OWN: Final = (
    "/apiregistration.k8s.io/apiservices/",
    "/core/endpoints/default/kubernetes",
    "/core/services/default/kubernetes",
    "/discovery.k8s.io/endpointslices/default/kubernetes",
    "/flowcontrol.apiserver.k8s.io/",
    "/networking.k8s.io/servicecidrs/kubernetes",
)
"""What each server has of its own: where it is there, another's does not take its place."""


class UnknownKind(ValueError):
    """An object is of a kind that nobody serves, or not what its key says; the message says which."""


async def add_objects(registry: Registry, objects: Mapping[str, StoredObject]) -> int:
    """Puts objects into a server that runs, as they are; returns how many.

    As after a restore, watches of older revisions are told 410: so clients and controllers list again. See `together`.
    Raises UnknownKind before anything is written.
    """
    saved = await registry.save()
    both, added = together(saved, objects)
    await registry.restore(both)
    return added


def together(saved: SavedObjects, objects: Mapping[str, StoredObject]) -> tuple[SavedObjects, int]:
    """The objects of a server with others beside them, and how many those are.

    No strategy and no admission plugin is asked. Everything stays as it was in the other cluster, uids, owners, times,
    finalizers, terminating objects and managedFields with it, but for the resourceVersions, which are this server's
    next. Objects of the same names are replaced, but for those that each server has of its own. Raises UnknownKind.
    """
    there = saved.objects
    added = {key: value for key, value in objects.items() if key not in there or not key.startswith(_OWN)}
    codec = ObjectCodec()
    stamped = {key: codec.stamp(value, saved.revision + place) for place, (key, value) in enumerate(added.items(), 1)}
    revision = saved.revision + len(stamped)
    kinds = KeptKinds({**there, **stamped})
    for key, value in stamped.items():
        fault = kinds.fault_of(key, value.document, revision)
        if fault:
            raise UnknownKind(fault)
    ends = {key: end for key, end in saved.ends.items() if key not in stamped}
    return replace(saved, revision=revision, objects={**there, **stamped}, ends=ends), len(stamped)
