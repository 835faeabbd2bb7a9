"""Defaults, validation and strategy of PodPresets (``pkg/apis/settings`` of Kubernetes 1.19)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, required
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta, validate_object_meta_update
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.podspec.defaults import default_env, default_volume
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.validation.context import PodContext
from memkube.apis.core.v1.podspec.validation.env import validate_env, validate_env_from
from memkube.apis.core.v1.podspec.validation.mounts import validate_mounts
from memkube.apis.core.v1.podspec.validation.volumes import validate_volumes
from memkube.apis.settings.v1alpha1.podpresets.types import PodPreset, PodPresetSpec
from memkube.registry.declarations.strategy import Strategy

_SPEC: Final = FieldPath("spec")


def validate_pod_preset(preset: PodPreset) -> list[FieldError]:
    """Validate a PodPreset: it adds something to pods, and all that it adds is valid in a pod."""
    return validate_object_meta(preset.metadata, subdomain_name, namespaced=True) + _validate_spec(preset.spec)


def validate_pod_preset_update(new: PodPreset, old: PodPreset) -> list[FieldError]:
    """Validate an update of a PodPreset.

    As in kube-apiserver, the rules are checked twice, so their errors occur twice.
    """
    changed = validate_object_meta_update(new.metadata, old.metadata) + _validate_spec(new.spec)
    return validate_pod_preset(new) + changed


def _validate_spec(spec: PodPresetSpec) -> list[FieldError]:
    errors = validate_label_selector(spec.selector, _SPEC.child("selector"))
    if not (spec.env or spec.envFrom or spec.volumeMounts or spec.volumes):
        errors.append(required(_SPEC.child("volumes.env.envFrom.volumeMounts"), "must specify at least one"))
    volumes, volume_errors = validate_volumes(spec.volumes, "", _SPEC.child("volumes"), is_pod=False)
    errors += volume_errors
    errors += validate_env(spec.env, _SPEC.child("env"))
    errors += validate_env_from(spec.envFrom, _SPEC.child("envFrom"))
    pod = PodContext(volumes, frozenset(), restart_policy="", grace_period=None, host_users=True)
    return errors + validate_mounts(Container(volumeMounts=spec.volumeMounts), pod, _SPEC.child("volumeMounts"))


class PodPresetStrategy(Strategy[PodPreset]):
    """Rules for writes of PodPresets: defaults, validation, and a spec that updates do not change.

    Source: ``pkg/registry/settings/podpreset/strategy.go`` of Kubernetes 1.19.
    """

    validate = staticmethod(validate_pod_preset)
    validate_update = staticmethod(validate_pod_preset_update)

    def default(self, obj: PodPreset) -> None:
        """Set the defaults of the variables and volumes of a PodPreset, by the rules for pods."""
        default_env(obj.spec.env)
        for volume in obj.spec.volumes:
            default_volume(volume)

    def prepare_for_create(self, obj: PodPreset, now: Time) -> list[str]:
        obj.metadata.generation = 1
        return []

    def prepare_for_update(self, new: PodPreset, old: PodPreset) -> None:
        """Discard an update's changes to the spec of a PodPreset."""
        new.spec = old.spec
