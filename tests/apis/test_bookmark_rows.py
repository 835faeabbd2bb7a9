import pytest

from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apis.catalog import served_resources
from memkube.registry.declarations.resource import Resource

CELLS_TOO_MANY = {"IPAddress": 1}
"""Number of additional cells in the rows of bookmarks, by kind. Kubernetes has them as well."""


@pytest.mark.parametrize("resource", served_resources(), ids=lambda resource: resource.plural)
def test_the_object_of_a_bookmark_has_a_row(resource: Resource) -> None:
    marker = resource.model(kind=resource.kind, apiVersion=resource.api_version, metadata=ObjectMeta())
    row = resource.printer.row(marker.to_document())
    assert len(row.cells) == len(resource.printer.columns) + CELLS_TOO_MANY.get(resource.kind, 0)
