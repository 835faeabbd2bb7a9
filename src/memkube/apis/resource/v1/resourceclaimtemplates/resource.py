"""ResourceClaimTemplates: templates of claims for pods."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceClaimTemplate",
    plural="resourceclaimtemplates",
    singular="resourceclaimtemplate",
    model=Lazy("memkube.apis.resource.v1.resourceclaimtemplates.types:ResourceClaimTemplate"),
    strategy=Lazy("memkube.apis.resource.v1.resourceclaimtemplates.strategy:ResourceClaimTemplateStrategy()"),
)
