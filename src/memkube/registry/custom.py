"""Kinds that come while the server runs: declared by names, versions and a structural schema for each.

Source of the rules: apiextensions ``pkg/registry/customresource/strategy.go``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta
from memkube.apimachinery.model import Document
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.structural import StructuralSchema
from memkube.apimachinery.time import Time
from memkube.registry.conversion import renamed
from memkube.registry.resource import Resource, StoredForm, Subresource, status_subresource
from memkube.registry.strategy import FieldPaths, Strategy
from memkube.registry.table import NAME_AND_AGE, TablePrinter

_STATUS = "status"


@dataclass(frozen=True, slots=True)
class CustomNames:
    """What a custom kind is called."""

    group: str
    kind: str
    plural: str
    singular: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CustomVersion:
    """One version of a custom kind."""

    name: str
    schema: Document
    """A structural OpenAPI v3 schema of whole objects."""
    has_status: bool = False
    """Whether ``status`` is a subresource, written apart from the rest."""
    printer: TablePrinter = NAME_AND_AGE


def custom_resources(names: CustomNames, versions: Sequence[CustomVersion], stored: str) -> list[Resource]:
    """The resources of all versions, objects being kept in the one that is named `stored`.

    Versions differ by their names alone. Raises ValueError for a schema that is not served, and KeyError where no
    version is called `stored`.
    """
    resources = {version.name: _resource(names, version) for version in versions}
    kept = resources[stored]
    for name, resource in resources.items():
        if resource is not kept:
            form = StoredForm(kept, renamed(kept.api_version), renamed(resource.api_version))
            resources[name] = replace(resource, stored_form=form)
    return list(resources.values())


def _resource(names: CustomNames, version: CustomVersion) -> Resource:
    schema = StructuralSchema(version.schema, names.kind)
    strategy: type[CustomStrategy] = CustomStrategy
    subresources: tuple[Subresource, ...] = ()
    if version.has_status:
        strategy = CustomSpecStrategy
        subresources = (status_subresource(CustomStatusStrategy(schema, namespaced=names.namespaced)),)
    return Resource(
        group=names.group,
        version=version.name,
        kind=names.kind,
        plural=names.plural,
        singular=names.singular,
        strategy=strategy(schema, namespaced=names.namespaced),
        printer=version.printer,
        structural=schema,
        namespaced=names.namespaced,
        short_names=names.short_names,
        categories=names.categories,
        subresources=subresources,
    )


class CustomStrategy(Strategy[Unstructured]):
    """How custom objects are created and changed that are written as a whole."""

    allow_unconditional_update: ClassVar[bool] = False

    def __init__(self, schema: StructuralSchema, *, namespaced: bool) -> None:
        self._schema = schema
        self._namespaced = namespaced

    def default(self, obj: Unstructured) -> None:
        """See Strategy."""
        for name, value in self._schema.default(obj.content).items():
            obj.set_field(name, value)

    def prepare_for_create(self, obj: Unstructured, now: Time) -> list[str]:
        """A new object is the first of its generations."""
        obj.metadata.generation = 1
        return []

    def validate(self, obj: Unstructured) -> list[FieldError]:
        """See Strategy."""
        errors = validate_object_meta(obj.metadata, self._namespaced, subdomain_name, FieldPath("metadata"))
        return errors + self._schema.validate(obj.content)

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """Anything but metadata is a new generation when it changes."""
        if new.content != old.content:
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: Unstructured, old: Unstructured) -> list[FieldError]:
        """See Strategy."""
        return self._schema.validate(new.content)


class CustomSpecStrategy(CustomStrategy):
    """Writes to an object whose ``status`` is written apart."""

    reset_fields: ClassVar[FieldPaths] = ((_STATUS,),)

    def prepare_for_create(self, obj: Unstructured, now: Time) -> list[str]:
        """A new object has no status yet."""
        obj.set_field(_STATUS, None)
        return super().prepare_for_create(obj, now)

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """The status stays."""
        new.set_field(_STATUS, old.content.get(_STATUS))
        super().prepare_for_update(new, old)


class CustomStatusStrategy(CustomStrategy):
    """Writes to ``status``."""

    reset_fields: ClassVar[FieldPaths] = (("metadata",), ("spec",))

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """Everything else stays, but for who owns what."""
        status, managed = new.content.get(_STATUS), new.metadata.managedFields
        for name in {*new.content, *old.content}:
            new.set_field(name, old.content.get(name))
        new.set_field(_STATUS, status)
        new.metadata = old.metadata.model_copy(deep=True)
        new.metadata.managedFields = managed
