"""PodPreset: adds the environment, volumes and mounts of matching PodPresets to new pods.

If PodPresets conflict, the pod is not changed. Source: ``plugin/pkg/admission/podpreset`` of Kubernetes 1.19.
"""

import logging
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, TypeVar

import orjson

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.labels import from_model
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.events.types import Event, EventSource
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.containers import Container, VolumeMount
from memkube.apis.core.v1.podspec.types.env import EnvFromSource
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD
from memkube.apis.core.v1.references import ObjectReference
from memkube.apis.settings.v1alpha1.podpresets.types import PodPreset
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.request_options import EVERYTHING, WriteContext
from memkube.time.clock import written_now

_PREFIX = "podpreset.admission.kubernetes.io"
_EXCLUDED = f"{_PREFIX}/exclude"
_LOGGER = logging.getLogger("memkube")
M = TypeVar("M", bound=ApiModel)


class PodPresetPlugin(Plugin):
    """Admission plugin that adds the settings of matching PodPresets to new pods, as in Kubernetes 1.19.

    If presets conflict with a pod or with each other, the pod is not changed and a warning event is recorded, as
    Kubernetes documented. (The last releases only logged the conflict.) Source: ``plugin/pkg/admission/podpreset``.
    """

    name: ClassVar[str] = "PodPreset"

    async def mutate(self, attributes: Attributes) -> None:
        """Merge all matching PodPresets into the pod, and record their resourceVersions in its annotations."""
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
        found = await store.list(namespace, EVERYTHING)
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
            _LOGGER.warning("cannot record the event: %s", error)


class MergeConflict(Exception):
    """Raised if two PodPresets, or a PodPreset and the pod, have different values for the same name or path."""


def merge_presets(pod: Pod, presets: Sequence[PodPreset]) -> None:
    """Add the variables, volumes and mounts of PodPresets to a pod.

    If the PodPresets conflict with the pod or with each other, raises MergeConflict and leaves the pod unchanged.
    """
    conflicts: list[str] = []
    volumes = _merged(pod.spec.volumes, presets, lambda preset: preset.spec.volumes, _Rule("volumes", _name), conflicts)
    containers = [*pod.spec.initContainers, *pod.spec.containers]
    merged = [_merged_container(container, presets, conflicts) for container in containers]
    if conflicts:
        raise MergeConflict(conflicts[0] if len(conflicts) == 1 else f"[{', '.join(dict.fromkeys(conflicts))}]")
    pod.spec.volumes = volumes
    for container, (env, env_from, mounts) in zip(containers, merged, strict=True):
        container.env, container.envFrom, container.volumeMounts = env, env_from, mounts


class _Rule:
    """How to merge one list of a pod, such as its volumes, with the same list of PodPresets.

    `what` names the list in error messages. `key` gets an entry of the list and returns its key: two different entries
    with the same key conflict. If `shown` is true, the error message contains the key.
    """

    def __init__(self, what: str, key: Callable[[Any], Hashable], *, shown: bool = True) -> None:
        self.what = what
        self.key = key
        self.shown = shown


def _merged_container(container: Container, presets: Sequence[PodPreset], conflicts: list[str]) -> tuple[Any, Any, Any]:
    env = _merged(container.env, presets, lambda preset: preset.spec.env, _Rule("env", _name), conflicts)
    env_from = _merged(
        container.envFrom,
        presets,
        lambda preset: preset.spec.envFrom,
        _Rule("envFrom", _env_source, shown=False),
        conflicts,
    )
    mounts = _merged(
        container.volumeMounts,
        presets,
        lambda preset: preset.spec.volumeMounts,
        _Rule("volume mounts", _name),
        conflicts,
    )
    conflicts += _mount_path_conflicts(container.volumeMounts, presets)
    return env, env_from, mounts


def _merged(
    given: Sequence[M],
    presets: Sequence[PodPreset],
    added_by: Callable[[PodPreset], Sequence[M]],
    rule: _Rule,
    conflicts: list[str],
) -> list[M]:
    """Return one list of a pod, such as its volumes, with the entries of the PodPresets added.

    `given` is the pod's list. `added_by` gets a PodPreset and returns its list of the same type. `rule.key` returns the
    key of an entry, such as the name of a volume. For two entries with the same key and different content, an error
    message is added to `conflicts`.
    """
    known = {rule.key(entry): entry for entry in given}
    merged = list(given)
    for preset in presets:
        for entry in added_by(preset):
            key = rule.key(entry)
            found = known.setdefault(key, entry)
            if found is entry:
                merged.append(entry.model_copy(deep=True))
            elif found != entry:
                conflicts.append(_conflict(preset, rule.what, f" on {key}" if rule.shown else "", entry, found))
    return merged


def _mount_path_conflicts(given: Sequence[VolumeMount], presets: Sequence[PodPreset]) -> list[str]:
    known = {mount.mountPath: mount for mount in given}
    return [
        _conflict(preset, "volume mounts", f" on mount path {mount.mountPath}", mount, found)
        for preset in presets
        for mount in preset.spec.volumeMounts
        if (found := known.setdefault(mount.mountPath, mount)) != mount
    ]


def _conflict(preset: PodPreset, what: str, where: str, entry: ApiModel, found: ApiModel) -> str:
    """Return the error message for an entry of a PodPreset that conflicts with one in the pod or another PodPreset.

    `entry` is from `preset`, and `found` is the other entry. `what` names the list in which both are, such as
    ``volumes``. `where` is a part of the message with the key or path that both have, such as `` on mount path /data``;
    it may be "". The message shows both entries as JSON; Kubernetes shows them as Go structs.
    """
    ours, theirs = (orjson.dumps(value.to_document()).decode() for value in (entry, found))
    name = preset.metadata.name
    return f"merging {what} for {name} has a conflict{where}: \n{ours}\ndoes not match\n{theirs}\n in container"


def _name(entry: Any) -> str:
    name: str = entry.name
    return name


def _env_source(source: EnvFromSource) -> Hashable:
    config_map, secret = source.configMapRef, source.secretRef
    return source.prefix, config_map and config_map.name, secret and secret.name
