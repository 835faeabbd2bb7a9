"""PodPresets, which are served only where the admission plugin of that name is on."""

from memkube.apis.settings.v1alpha1.podpresets.strategy import PodPresetStrategy
from memkube.apis.settings.v1alpha1.podpresets.types import PodPreset
from memkube.registry.resource import Resource
from memkube.registry.table import NAME_AND_AGE

RESOURCE = Resource(
    group="settings.k8s.io",
    version="v1alpha1",
    kind="PodPreset",
    plural="podpresets",
    singular="podpreset",
    model=PodPreset,
    strategy=PodPresetStrategy(),
    printer=NAME_AND_AGE,
)
