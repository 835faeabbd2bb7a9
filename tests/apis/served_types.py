"""The types that bodies of requests may have, for tests that hold for all of them."""

from collections.abc import Iterator

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import ApiModel
from memkube.apis.catalog import served_resources


def body_types() -> list[type[ApiModel]]:
    """Each once, in the order of the catalog."""
    return list(dict.fromkeys(_body_types()))


def _body_types() -> Iterator[type[ApiModel]]:
    for resource in served_resources():
        yield resource.model
        yield from (subresource.model for subresource in resource.subresources if subresource.connect is None)
    yield DeleteOptions
