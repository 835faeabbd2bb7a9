"""The declaration that webhook configurations, policies and bindings share."""

from memkube.registry.declarations.lazy import Lazy, LazyPackage
from memkube.registry.declarations.resource import Resource, StorageForm, Subresource
from memkube.registry.declarations.table import TablePrinter


def registration(
    package: LazyPackage,
    kind: str,
    plural: str,
    printer: Lazy[TablePrinter],
    subresources: tuple[Subresource, ...] = (),
    hashed_version: str = "",
) -> Resource:
    """Return a kind whose model is in the module ``types`` of the package, and its strategy in ``strategy``."""
    return Resource(
        group="admissionregistration.k8s.io",
        version="v1",
        kind=kind,
        plural=plural,
        namespaced=False,
        categories=("api-extensions",),
        model=package(f"types:{kind}"),
        strategy=package(f"strategy:{kind}Strategy()"),
        printer=printer,
        subresources=subresources,
        stored=StorageForm(hashed_version=hashed_version),
    )
