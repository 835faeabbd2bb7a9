"""Function that declares webhook configurations, policies and bindings."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, Subresource, name_field

_PACKAGE = "memkube.apis.admissionregistration.v1"


def registration(
    folder: str, kind: str, plural: str, printer: str, subresources: tuple[Subresource, ...] = ()
) -> Resource:
    """Declare a kind whose types and strategy are in `folder` beside this one.

    `printer` is a path below the version's package.
    """
    return Resource(
        group="admissionregistration.k8s.io",
        version="v1",
        kind=kind,
        plural=plural,
        singular=kind.lower(),
        namespaced=False,
        selectable_fields=name_field,
        categories=("api-extensions",),
        model=Lazy(f"{_PACKAGE}.{folder}.types:{kind}"),
        strategy=Lazy(f"{_PACKAGE}.{folder}.strategy:{kind}Strategy()"),
        printer=Lazy(f"{_PACKAGE}.{printer}"),
        subresources=subresources,
    )
