"""Writes the Events of the cluster autoscaler, and the ConfigMap of its status (``clusterstate/utils/status.go``)."""

from typing import Any, Final, Literal, TypeAlias

import yaml

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

EventType: TypeAlias = Literal["Normal", "Warning"]
COMPONENT: Final = "cluster-autoscaler"
_NAMESPACE: Final = "kube-system"
_NAME: Final = "cluster-autoscaler-status"


class Reporting:
    """Records Events about pods, nodes and the autoscaler itself, and writes its status."""

    def __init__(self, runtime: Runtime) -> None:
        self._resource = runtime.registry.find("", "v1", "configmaps").resource
        self._config_maps = runtime.informers.of("", "v1", "configmaps")
        self._client = runtime.client_of(COMPONENT)
        self._recorder = EventRecorder(runtime, COMPONENT, manager=COMPONENT)
        self._status: StoredObject | None = None

    async def record(self, about: StoredObject, reason: str, message: str) -> None:
        """Record an Event of type Normal about a pod or a node."""
        await self._recorder.record(about, Report("Normal", reason, message))

    async def warn(self, about: StoredObject, message: str) -> None:
        """Record an Event of type Warning: a node could not be removed, or a pod could not be evicted."""
        await self._recorder.record(about, Report("Warning", "ScaleDownFailed", message))

    async def log(self, reason: str, message: str, type_: EventType = "Normal") -> None:
        """Record an Event about the autoscaler itself, of the type `type_`: Normal or Warning.

        The Event's object is the autoscaler's status ConfigMap.
        """
        if self._status is not None:
            await self._recorder.record(self._status, Report(type_, reason, message))

    async def write_status(self, pools: list[dict[str, Any]]) -> None:
        """Write the sizes of the node pools into the autoscaler's status ConfigMap, if they have changed."""
        text = yaml.safe_dump({"autoscalerStatus": "Running", "nodeGroups": pools}, sort_keys=False)
        known = self._config_maps.get(_NAMESPACE, _NAME)
        if known is None:
            document: Document = {"metadata": {"name": _NAME}, "data": {"status": text}}
            self._status = await self._client.create(self._resource, ConfigMap.from_document(document), _NAMESPACE)
            return
        self._status = known
        if known.document.get("data") == {"status": text}:
            return

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, ConfigMap)
            obj.data = {"status": text}

        self._status = await self._client.update(self._resource, known, change)
