"""A function that declares an API resource of the group admissionregistration.k8s.io."""

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
    """Return the declaration of a kind of the API group admissionregistration.k8s.io.

    `package` is the kind's Python package: its module ``types`` has the model, and its module ``strategy`` the
    strategy. `printer` makes the table rows, and `subresources` are the subresources of the kind. `hashed_version` is
    the version from which the storage version hash in discovery is computed; "" for the version in which the objects
    are stored.
    """
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
