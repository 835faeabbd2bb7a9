"""Creates the PersistentVolumeClaims of generic ephemeral volumes (``pkg/controller/volume/ephemeral``)."""

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.volumes.binding_rules import CLAIMS
from memkube.controllers.workloads.owners import controller_uid, reference_to
from memkube.registry.objects.stored import StoredObject


class EphemeralVolumeController:
    """Creates a PersistentVolumeClaim for each ephemeral volume of a pod, and creates it again after it was deleted.

    The pod owns these claims, so the garbage collector deletes them with the pod.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "ephemeral_volume")
        self._users = runtime.pods_by_claim
        self._pods = runtime.informers.of("", "v1", "pods")
        self._claims = runtime.informers.of(*CLAIMS)
        self._queue = runtime.queue("ephemeral volumes", self._sync)
        self._pods.subscribe(self._on_pod)
        self._claims.subscribe(self._on_claim)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is None and new is not None:
            self._enqueue(new)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None and old is not None:
            for pod in self._users.of(old.namespace, old.name):
                self._enqueue(pod)

    def _enqueue(self, pod: StoredObject) -> None:
        if _templates(pod) and "deletionTimestamp" not in pod.document["metadata"]:
            self._queue.add((pod.namespace, pod.name))

    async def _sync(self, key: Key) -> None:
        pod = self._pods.get(*key)
        if pod is None or "deletionTimestamp" in pod.document["metadata"]:
            return
        for volume, template in _templates(pod).items():
            why = await self._create_missing(pod, f"{pod.name}-{volume}", template)
            if why:
                await self._events.record(pod, Report("Warning", "FailedBinding", f"ephemeral volume {volume}: {why}"))
                raise TryAgain

    async def _create_missing(self, pod: StoredObject, name: str, template: Document) -> str:
        """Create the claim for an ephemeral volume, unless it exists. Returns an error message, or an empty text.

        It is an error if the existing claim belongs to another pod.
        """
        known = self._claims.get(pod.namespace, name)
        if known is not None:
            pod_key = f"{pod.namespace}/{pod.name}"
            is_owned = controller_uid(known) == pod.uid
            return (
                "" if is_owned else f"PVC {pod.namespace}/{name} was not created for pod {pod_key} (pod is not owner)"
            )
        owner = reference_to(pod, self._runtime.registry.find("", "v1", "pods").resource)
        given = template.get("metadata") or {}
        kept = {field: given[field] for field in ("annotations", "labels") if given.get(field)}
        metadata = {"name": name, "ownerReferences": [owner], **kept}
        claim = PersistentVolumeClaim.from_document({"metadata": metadata, "spec": template["spec"]})
        try:
            await self._runtime.client.create(self._runtime.registry.find(*CLAIMS).resource, claim, pod.namespace)
        except ApiError as error:
            return f"create PVC {name}: {error.message}"
        return ""


def _templates(pod: StoredObject) -> dict[str, Document]:
    """Return the claim templates of a pod's ephemeral volumes, by the name of the volume."""
    volumes = pod.document["spec"].get("volumes") or ()
    return {each["name"]: each["ephemeral"]["volumeClaimTemplate"] for each in volumes if each.get("ephemeral")}
