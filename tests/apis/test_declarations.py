from typing import Any

import pytest

from memkube.apis.catalog import served_resources
from memkube.apis.settings.v1alpha1.podpresets.resource import RESOURCE as POD_PRESETS
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCES = [*served_resources(), POD_PRESETS]


def paths_in(declared: Any) -> list[Lazy[Any]]:
    """Return the import paths that a declaration uses, including those of its subresources and stored form."""
    found = [value for value in vars(declared).values() if isinstance(value, Lazy)]
    inner = [*getattr(declared, "subresources", ())]
    if isinstance(declared, Resource):
        inner += [declared.fields, declared.stored.form]
    return found + [path for part in inner if part is not None for path in paths_in(part)]


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: f"{resource.plural}.{resource.group}")
def test_everything_that_is_imported_later_is_there(resource: Resource) -> None:
    for path in paths_in(resource):
        assert path.load() is not None


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: f"{resource.plural}.{resource.group}")
def test_the_schema_has_the_name_of_the_kind(resource: Resource) -> None:
    assert resource.schema.name == resource.kind
