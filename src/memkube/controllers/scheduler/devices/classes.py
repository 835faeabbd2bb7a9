"""Index of the extended resources that DeviceClasses provide (``deviceclass/extendedresourcecache``)."""

from collections.abc import Iterable, Mapping
from typing import Final

from memkube.registry.objects.stored import StoredObject

DEVICE_CLASS: Final = "deviceclass.resource.kubernetes.io/"
"""Prefix of the name of the extended resource that each DeviceClass provides."""


class ExtendedResources:
    """Index of DeviceClasses by the extended resources that they provide.

    A class provides ``deviceclass.resource.kubernetes.io/NAME`` and its ``extendedResourceName``. If several classes
    have the same ``extendedResourceName``, the newest of them provides the resource; of equally old ones, the first by
    name.
    """

    def __init__(self) -> None:
        self._named: dict[str, dict[str, StoredObject]] = {}
        """DeviceClasses that provide an extended resource, by the resource and by the name of the class."""
        self._names: set[str] = set()

    def on_class(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Update the index after a change of a DeviceClass."""
        if old is not None:
            self._names.discard(old.name)
            resource = resource_of(old)
            if resource:
                del self._named[resource][old.name]
                if not self._named[resource]:
                    del self._named[resource]
        if new is not None:
            self._names.add(new.name)
            if resource := resource_of(new):
                self._named.setdefault(resource, {})[new.name] = new

    def class_of(self, resource: str) -> str:
        """Return the name of the DeviceClass that provides an extended resource; empty if none does."""
        if resource.startswith(DEVICE_CLASS):
            name = resource.removeprefix(DEVICE_CLASS)
            return name if name in self._names else ""
        classes = self._named.get(resource)
        if not classes:
            return ""
        newest = max(one.document["metadata"]["creationTimestamp"] for one in classes.values())
        return min(name for name, one in classes.items() if one.document["metadata"]["creationTimestamp"] == newest)

    def provided(self, resources: Iterable[str]) -> frozenset[str]:
        """Return the names in `resources` of extended resources that a DeviceClass provides."""
        if not self._names:
            return _NONE
        return frozenset(resource for resource in resources if self.class_of(resource))


_NONE: Final[frozenset[str]] = frozenset()


def resource_of(device_class: StoredObject) -> str:
    """Return the ``extendedResourceName`` of a DeviceClass; empty if it has none."""
    return device_class.document["spec"].get("extendedResourceName") or ""


def is_requested(device_class: StoredObject, amounts: Mapping[str, int]) -> bool:
    """True if the amounts contain an extended resource that the DeviceClass provides."""
    return DEVICE_CLASS + device_class.name in amounts or resource_of(device_class) in amounts
