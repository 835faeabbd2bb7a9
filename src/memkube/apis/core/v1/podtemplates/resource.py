"""PodTemplates: stored templates for pods."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="PodTemplate",
    plural="podtemplates",
    singular="podtemplate",
    model=Lazy("memkube.apis.core.v1.podtemplates.types:PodTemplate"),
    strategy=Lazy("memkube.apis.core.v1.podtemplates.strategy:PodTemplateStrategy()"),
    printer=Lazy("memkube.apis.core.v1.podtemplates.columns:PRINTER"),
)
