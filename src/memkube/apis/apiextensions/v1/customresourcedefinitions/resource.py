"""Declaration of CustomResourceDefinitions."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field, status_subresource

_FOLDER = "memkube.apis.apiextensions.v1.customresourcedefinitions"

RESOURCE = Resource(
    group="apiextensions.k8s.io",
    version="v1",
    kind="CustomResourceDefinition",
    plural="customresourcedefinitions",
    singular="customresourcedefinition",
    namespaced=False,
    told_version="v1beta1",
    short_names=("crd", "crds"),
    categories=("api-extensions",),
    selectable_fields=name_field,
    model=Lazy(f"{_FOLDER}.types:CustomResourceDefinition"),
    strategy=Lazy(f"{_FOLDER}.strategy:DefinitionStrategy()"),
    printer=Lazy(f"{_FOLDER}.columns:PRINTER"),
    subresources=(status_subresource(Lazy(f"{_FOLDER}.strategy:DefinitionStatusStrategy()")),),
)
