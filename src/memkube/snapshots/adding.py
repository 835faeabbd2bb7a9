"""Import of another cluster's objects into a running server or a snapshot."""

from collections.abc import Mapping
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
"""Objects that describe the server itself, such as the Service ``kubernetes``. Imported objects do not replace them."""


class UnknownKind(ValueError):
    """Raised if an object has an unknown kind, or does not match its key. The message identifies the object."""


async def add_objects(registry: Registry, objects: Mapping[str, StoredObject]) -> int:
    """Import objects into a running server, unchanged. Return the number of objects imported.

    As after a restore of a snapshot, open watches with bookmarks end with 410, so that informers list again. See
    :func:`together` for the objects that are replaced. Raises UnknownKind, before anything is written, if an object has
    an unknown kind or does not match its key.
    """
    saved = await registry.save()
    both, added = together(saved, objects)
    await registry.restore(both)
    return added


def together(saved: SavedObjects, objects: Mapping[str, StoredObject]) -> tuple[SavedObjects, int]:
    """Return a server's objects `saved` merged with the imported `objects`, and the number of imported objects.

    Strategies and admission are skipped. Imported objects keep all their fields, including uids, ownerReferences,
    timestamps, finalizers and managedFields; only their resourceVersions are new. They replace the server's objects
    with the same key, except those that describe the server itself, such as the Service ``kubernetes``, which are kept.
    Raises UnknownKind if an object has an unknown kind or does not match its key.
    """
    there = saved.objects
    added = {key: value for key, value in objects.items() if key not in there or not key.startswith(_OWN)}
    codec = ObjectCodec()
    stamped = {key: codec.stamp(value, saved.revision + number) for number, (key, value) in enumerate(added.items(), 1)}
    revision = saved.revision + len(stamped)
    kinds = KeptKinds({**there, **stamped})
    for key, value in stamped.items():
        fault = kinds.fault_of(key, value.document, revision)
        if fault:
            raise UnknownKind(fault)
    ends = {key: end for key, end in saved.ends.items() if key not in stamped}
    return saved._replace(revision=revision, objects={**there, **stamped}, ends=ends), len(stamped)
