"""PodPreset: new pods get what the presets that select them add."""

import logging
from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.admission.pod_preset_merge import MergeConflict, merge_presets
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.labels import from_model
from memkube.apis.core.v1.events.types import Event, EventSource
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD
from memkube.apis.core.v1.references import ObjectReference
from memkube.apis.settings.v1alpha1.podpresets.types import PodPreset
from memkube.registry.admission import Attributes
from memkube.registry.clock import written_now
from memkube.registry.context import WriteContext
from memkube.registry.options import ListOptions
from memkube.registry.registry import Registry

_PREFIX = "podpreset.admission.kubernetes.io"
_EXCLUDED = f"{_PREFIX}/exclude"
_LOGGER = logging.getLogger("memkube")


class PodPresetPlugin(Plugin):
    """Source: ``plugin/pkg/admission/podpreset`` of Kubernetes 1.19.

    Presets that disagree with a pod, or with each other, change nothing about it. A warning event says so, as the
    documentation promises; the reference had come to write it to its log alone.
    """

    name: ClassVar[str] = "PodPreset"

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def mutate(self, attributes: Attributes) -> None:
        """Adds to a new pod what it shall have, and which presets that comes from."""
        pod = attributes.new
        if attributes.subresource or attributes.operation != "CREATE" or not isinstance(pod, Pod):
            return
        annotations = pod.metadata.annotations
        if MIRROR_POD in annotations or annotations.get(_EXCLUDED) == "true":
            return
        presets = await self._selecting(pod, attributes.namespace)
        if not presets:
            return
        try:
            merge_presets(pod, presets)
        except MergeConflict as conflict:
            await self._report(pod, presets, str(conflict), attributes)
            return
        applied = {f"{_PREFIX}/podpreset-{p.metadata.name}": p.metadata.resourceVersion for p in presets}
        pod.metadata.annotations = {**annotations, **applied}

    async def _selecting(self, pod: Pod, namespace: str) -> list[PodPreset]:
        store = self._registry.find("settings.k8s.io", "v1alpha1", "podpresets")
        found = await store.list(namespace, ListOptions())
        presets = [PodPreset.from_document(stored.document) for stored in found.items]
        return [preset for preset in presets if from_model(preset.spec.selector).matches(pod.metadata.labels)]

    async def _report(self, pod: Pod, presets: list[PodPreset], message: str, attributes: Attributes) -> None:
        names = ",".join(preset.metadata.name for preset in presets)
        name = pod.metadata.name or pod.metadata.generateName
        _LOGGER.warning("conflict occurred while applying podpresets: %s on pod: %s err: %s", names, name, message)
        if attributes.context.dry_run:
            return
        now = written_now(self._registry.clock)
        about = ObjectReference(kind="Pod", apiVersion="v1", namespace=attributes.namespace, name=name)
        source = EventSource(component=f"pip {names}")
        event = Event(involvedObject=about, message=message, type="Warning", source=source, count=1)
        event.firstTimestamp = event.lastTimestamp = now
        event.metadata.name = self._registry.generated_name(f"{name.rstrip('-.')}.")
        context = WriteContext(namespace=attributes.namespace, manager="kube-apiserver")
        try:
            await self._registry.find("", "v1", "events").create(event, context)
        except ApiError as error:
            _LOGGER.warning("no event: %s", error)
