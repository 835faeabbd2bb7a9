"""The ConfigMaps and Secrets in volumes of running pods (``pkg/kubelet/util/manager``).

Objects that are only used for environment variables are not included: a running container keeps its environment.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.addresses import PodKey
from memkube.registry.objects.stored import StoredObject

_SYNC_PERIOD: Final = timedelta(minutes=1)
"""Time between two syncs of a pod (``syncFrequency`` of the kubelet)."""
_CONTENT: Final = ("data", "binaryData")


class ObjectKey(NamedTuple):
    """Plural name, namespace and name of a ConfigMap or Secret."""

    plural: str
    namespace: str
    name: str


class VolumeObjects:
    """Index of the pods on nodes by the ConfigMaps and Secrets in their volumes.

    The kubelet stops watching an immutable object. So after the object is deleted, or created again with the same name,
    the volumes of pods on the kubelet's node keep its old content.
    """

    def __init__(self) -> None:
        self._pods: dict[ObjectKey, set[PodKey]] = {}
        self._nodes: dict[PodKey, str] = {}
        """Name of the node of each pod in the index."""
        self._immutable: dict[tuple[str, ObjectKey], Document] = {}
        """Deleted immutable objects by node."""

    def subscribe(self, pods: Informer, objects: Mapping[str, Informer], changed: Callable[[PodKey], None]) -> None:
        """Call `changed` with the key of each pod that has a ConfigMap or Secret in a volume, when that object changes.

        `pods` is the informer of pods. `objects` has the informers of ConfigMaps and Secrets by plural name.
        """
        pods.subscribe(self._pod_changed)

        def handle(plural: str, old: StoredObject | None, new: StoredObject | None) -> None:
            for key in self._object_changed(plural, old, new):
                changed(key)

        for plural, informer in objects.items():
            informer.subscribe(partial(handle, plural))

    def kept(self, node: str, key: ObjectKey) -> Document | None:
        """Return a deleted immutable ConfigMap or Secret that the kubelet of a node still caches, or None."""
        return self._immutable.get((node, key)) if self._immutable else None

    def saved(self) -> list[Document]:
        """Return the deleted immutable ConfigMaps and Secrets that kubelets still cache, as JSON data."""
        return [{"node": node, "key": key, "object": found} for (node, key), found in sorted(self._immutable.items())]

    def restore(self, saved: Iterable[Document]) -> None:
        """Restore the deleted immutable ConfigMaps and Secrets that kubelets still cache.

        `saved` is the result of the method `saved`. Raises TypeError or KeyError for malformed data.
        """
        for entry in saved:
            self._immutable[entry["node"], ObjectKey(*entry["key"])] = entry["object"]

    def _pod_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        assert pod is not None
        key = PodKey(pod.namespace, pod.name)
        node = pod.document["spec"].get("nodeName", "")
        if new is not None and node and key not in self._nodes:
            self._nodes[key] = node
            for found in _objects_in_volumes(pod):
                self._pods.setdefault(found, set()).add(key)
        elif new is None and self._nodes.pop(key, None) is not None:
            for found in _objects_in_volumes(pod):
                self._drop(found, key, node)

    def _drop(self, found: ObjectKey, pod: PodKey, node: str) -> None:
        pods = self._pods.get(found)
        if pods is None:
            return
        pods.discard(pod)
        if (node, found) in self._immutable and not any(self._nodes[other] == node for other in pods):
            del self._immutable[node, found]
        if not pods:
            del self._pods[found]

    def _object_changed(self, plural: str, old: StoredObject | None, new: StoredObject | None) -> Iterator[PodKey]:
        stored = new or old
        assert stored is not None
        key = ObjectKey(plural, stored.namespace, stored.name)
        pods = self._pods.get(key)
        if not pods or (old and new and all(old.document.get(field) == new.document.get(field) for field in _CONTENT)):
            return
        if new is None and old is not None and old.document.get("immutable"):
            for node in {self._nodes[pod] for pod in pods}:
                self._immutable.setdefault((node, key), old.document)
        for pod in sorted(pods):
            if self.kept(self._nodes[pod], key) is None:
                yield pod


def _objects_in_volumes(pod: StoredObject) -> Iterator[ObjectKey]:
    for volume in pod.document["spec"].get("volumes") or ():
        for source in (volume, *((volume.get("projected") or {}).get("sources") or ())):
            if (config_map := source.get("configMap")) is not None:
                yield ObjectKey("configmaps", pod.namespace, config_map.get("name", ""))
            elif (secret := source.get("secret")) is not None:
                yield ObjectKey("secrets", pod.namespace, secret.get("secretName") or secret.get("name", ""))


def next_sync(started: datetime, now: datetime) -> datetime:
    """Return the next time after `now` at which the kubelet syncs a pod that was started at `started`."""
    return started + ((now - started) // _SYNC_PERIOD + 1) * _SYNC_PERIOD
