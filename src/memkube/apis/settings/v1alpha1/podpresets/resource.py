"""Declaration of PodPresets, which are served only if the admission plugin PodPreset is enabled."""

from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.table import NAME_AND_AGE

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="settings.k8s.io",
    version="v1alpha1",
    kind="PodPreset",
    plural="podpresets",
    model=lazy("types:PodPreset"),
    strategy=lazy("strategy:PodPresetStrategy()"),
    printer=NAME_AND_AGE,
)
