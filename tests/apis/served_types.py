"""The types of request bodies, for tests of all types."""

from collections.abc import Iterator

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import ApiModel
from memkube.apis.catalog import served_resources
from memkube.registry.declarations.resource import CreateSubresource, ViewSubresource


def body_types() -> list[type[ApiModel]]:
    """Return each type once, in the order of the catalog."""
    return list(dict.fromkeys(_body_types()))


def _body_types() -> Iterator[type[ApiModel]]:
    for resource in served_resources():
        yield resource.model
        for subresource in resource.subresources:
            if isinstance(subresource, CreateSubresource):
                yield subresource.model
            elif isinstance(subresource, ViewSubresource):
                yield subresource.shown.model
    yield DeleteOptions
