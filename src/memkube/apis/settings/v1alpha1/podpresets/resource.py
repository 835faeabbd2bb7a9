"""Declaration of PodPresets, which are served only if the admission plugin PodPreset is enabled."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.table import NAME_AND_AGE

RESOURCE = Resource(
    group="settings.k8s.io",
    version="v1alpha1",
    kind="PodPreset",
    plural="podpresets",
    singular="podpreset",
    model=Lazy("memkube.apis.settings.v1alpha1.podpresets.types:PodPreset"),
    strategy=Lazy("memkube.apis.settings.v1alpha1.podpresets.strategy:PodPresetStrategy()"),
    printer=NAME_AND_AGE,
)
