"""Looks up the objects that a kubelet's request concerns."""

from memkube.apimachinery.errors import ApiError, GroupResource, not_found
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry


async def look_up(registry: Registry, group: str, plural: str, namespace: str, name: str) -> StoredObject:
    """Return an object of version v1 by its name. Raises ApiError (404) if the object does not exist.

    As in kube-apiserver, the error names the resource in the singular.
    """
    store = registry.find(group, "v1", plural)
    try:
        return await store.get(namespace, name)
    except ApiError:
        raise not_found(GroupResource(group, store.resource.singular), name) from None
