from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, StorageForm, status_subresource

lazy = LazyPackage(__package__)


RESOURCE = Resource(
    group="apiextensions.k8s.io",
    version="v1",
    kind="CustomResourceDefinition",
    plural="customresourcedefinitions",
    namespaced=False,
    stored=StorageForm(prefix="apiextensions.k8s.io/customresourcedefinitions", hashed_version="v1beta1"),
    short_names=("crd", "crds"),
    categories=("api-extensions",),
    model=lazy("types:CustomResourceDefinition"),
    strategy=lazy("strategy:DefinitionStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:DefinitionStatusStrategy()")),),
)
