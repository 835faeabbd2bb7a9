"""What PodPresets add to a pod, or why they cannot. Source: ``plugin/pkg/admission/podpreset`` of Kubernetes 1.19."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import orjson

from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.containers import Container, VolumeMount
from memkube.apis.core.v1.podspec.types.env import EnvFromSource
from memkube.apis.settings.v1alpha1.podpresets.types import PodPreset

M = TypeVar("M", bound=ApiModel)


class MergeConflict(Exception):
    """A pod has something else already under a name that a preset uses."""


def merge_presets(pod: Pod, presets: Sequence[PodPreset]) -> None:
    """Adds what the presets have to the pod. Raises MergeConflict, with the pod as it was."""
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
    """What makes two entries of a list the same one, and what the list is called."""

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
    """The list with what the presets add; what differs under the same key goes to `conflicts`."""
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
    """The reference shows its own structs between the lines; here they are written as the API has them."""
    ours, theirs = (orjson.dumps(value.to_document()).decode() for value in (entry, found))
    name = preset.metadata.name
    return f"merging {what} for {name} has a conflict{where}: \n{ours}\ndoes not match\n{theirs}\n in container"


def _name(entry: Any) -> str:
    name: str = entry.name
    return name


def _env_source(source: EnvFromSource) -> Hashable:
    config_map, secret = source.configMapRef, source.secretRef
    return source.prefix, config_map and config_map.name, secret and secret.name
