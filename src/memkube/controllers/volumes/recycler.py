"""Recycler pods, which delete the files in released volumes (``recyclerclient``)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.available import KUBELET
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.kubelet.containers.behavior import ANNOTATION
from memkube.controllers.volumes.binding_rules import capacity_of
from memkube.registry.objects.stored import StoredObject

_PREFIX: Final = "recycler-for-"
_NAMESPACE: Final = "default"
_PODS: Final = ("", "v1", "pods")
_EVENTS: Final = ("", "v1", "events")
_SCRUB: Final = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'
_IMAGE: Final = "registry.k8s.io/build-image/debian-base:bookworm-v1.0.6"
_SECONDS_PER_GIBIBYTE: Final = 30
_LEAST_SECONDS: Final = {"hostPath": 60, "nfs": 300}


@dataclass(slots=True)
class Recycling:
    """State of a pod that recycles a volume: whether it has ended, and why it failed."""

    volume: StoredObject
    """Revision of the volume at the start of its recycling."""
    pod_uid: str
    has_ended: bool = False
    failure: str = ""
    """Reason why the recycling of the volume failed; empty if it succeeded or has not ended."""


class Recycler:
    """Runs a pod that deletes the files of a volume, for each released volume to be recycled.

    Events about the pod are also recorded about the volume. On a simulated node, the pod ends at once, because its
    command is not simulated. `wake` is called with the key of a volume when its pod has ended.
    """

    def __init__(
        self,
        runtime: Runtime,
        report: Callable[[StoredObject, Report], Awaitable[None]],
        wake: Callable[[Key], None],
    ) -> None:
        self._runtime = runtime
        self._report = report
        self._wake = wake
        self._runs: dict[str, Recycling] = {}
        """Recycling runs by the name of the volume."""
        self._repeated = runtime.queue("events of recyclers", self._repeat)
        self._follows_events = False
        runtime.informers.of(*_PODS).subscribe(self._on_pod)

    def run_of(self, volume: str) -> Recycling | None:
        """Return the state of the pod that recycles a volume, or None if the volume is not being recycled."""
        return self._runs.get(volume)

    async def start(self, volume: StoredObject, source: Document) -> str:
        """Create the pod that mounts a volume with `source`, and deletes its files. Returns an error message or ""."""
        if not self._follows_events:
            self._follows_events = True
            self._runtime.informers.of(*_EVENTS).subscribe(self._on_event)
        try:
            resource = self._runtime.registry.find(*_PODS).resource
            pod = await self._runtime.client.create(resource, self._pod(volume, source), _NAMESPACE)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                return f"unexpected error creating recycler pod:  {error.message}"
            failure = await self._delete_pod(volume.name)
            if failure:
                return f"failed to delete old recycler pod {_NAMESPACE}/{_PREFIX}{volume.name}: {failure}"
            return "old recycler pod found, will retry later"
        self._runs[volume.name] = Recycling(volume, pod.uid)
        return ""

    async def finish(self, volume: str) -> None:
        """Delete the pod that has recycled a volume, and forget the state of the recycling."""
        run = self._runs.pop(volume)
        failure = await self._delete_pod(volume)
        if failure and not run.failure:
            run.failure = f"failed to delete recycler pod: {failure}"

    async def _delete_pod(self, volume: str) -> str:
        try:
            resource = self._runtime.registry.find(*_PODS).resource
            await self._runtime.client.delete(resource, _NAMESPACE, f"{_PREFIX}{volume}", DeleteOptions())
        except ApiError as error:
            return error.message
        return ""

    def _pod(self, volume: StoredObject, source: Document) -> Pod:
        kind = next(iter(source))
        seconds = capacity_of(volume.document).value // 2**30 * _SECONDS_PER_GIBIBYTE
        metadata: Document = {"name": f"{_PREFIX}{volume.name}", "namespace": _NAMESPACE}
        if KUBELET in self._runtime.controllers:
            metadata["annotations"] = {ANNOTATION: '{"exitCode": 0}'}
        container = {
            "name": "pv-recycler",
            "image": _IMAGE,
            "command": ["/bin/sh"],
            "args": ["-c", _SCRUB],
            "volumeMounts": [{"name": "vol", "mountPath": "/scrub"}],
        }
        spec = {
            "activeDeadlineSeconds": max(seconds, _LEAST_SECONDS[kind]),
            "restartPolicy": "Never",
            "volumes": [{"name": "vol", **source}],
            "containers": [container],
        }
        return Pod.from_document({"metadata": metadata, "spec": spec})

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        assert pod is not None
        run = self._runs.get(pod.name.removeprefix(_PREFIX)) if pod.namespace == _NAMESPACE else None
        if run is None or run.pod_uid != pod.uid or run.has_ended:
            return
        status = pod.document["status"]
        if new is None:
            run.failure = "failed to recycle volume: recycler pod was deleted"
        elif status.get("phase") == "Failed":
            message = status.get("message") or "pod failed, pod.Status.Message unknown"
            run.failure = f"failed to recycle volume: {message}"
        elif status.get("phase") != "Succeeded":
            return
        run.has_ended = True
        self._wake(("", run.volume.name))

    def _on_event(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None or new is None or new.namespace != _NAMESPACE:
            return
        about = new.document["involvedObject"].get("name", "").removeprefix(_PREFIX)
        if about in self._runs:
            self._repeated.add((about, new.document.get("type", "Normal"), new.document.get("message", "")))

    async def _repeat(self, key: tuple[str, str, str]) -> None:
        volume, kind, message = key
        run = self._runs.get(volume)
        if run is not None:
            text = f"Recycler pod: {message}"
            is_warning = kind == "Warning"
            await self._report(run.volume, Report("Warning" if is_warning else "Normal", "RecyclerPod", text))
