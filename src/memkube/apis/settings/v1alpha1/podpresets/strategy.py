"""What PodPresets add to the generic verbs."""

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.podspec.defaults import default_env, default_volume
from memkube.apis.settings.v1alpha1.podpresets.types import PodPreset
from memkube.apis.settings.v1alpha1.podpresets.validation import validate_pod_preset, validate_pod_preset_update
from memkube.registry.strategy import Strategy


class PodPresetStrategy(Strategy[PodPreset]):
    """Source: ``pkg/registry/settings/podpreset/strategy.go`` of Kubernetes 1.19."""

    def default(self, obj: PodPreset) -> None:
        """What is added to a pod looks like what the pod has already."""
        default_env(obj.spec.env)
        for volume in obj.spec.volumes:
            default_volume(volume)

    def prepare_for_create(self, obj: PodPreset, now: Time) -> list[str]:
        """See Strategy."""
        obj.metadata.generation = 1
        return []

    def validate(self, obj: PodPreset) -> list[FieldError]:
        """See Strategy."""
        return validate_pod_preset(obj)

    def prepare_for_update(self, new: PodPreset, old: PodPreset) -> None:
        """The spec stays, whatever the client says."""
        new.spec = old.spec

    def validate_update(self, new: PodPreset, old: PodPreset) -> list[FieldError]:
        """See Strategy."""
        return validate_pod_preset_update(new, old)
