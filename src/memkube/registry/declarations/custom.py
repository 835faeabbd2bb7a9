"""Kinds that come while the server runs: declared by names, versions and a structural schema for each.

Source of the rules: apiextensions ``pkg/registry/customresource``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, TypeAlias

from memkube.apimachinery.errors import GroupResource, forbidden
from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta, validate_object_meta_update
from memkube.apimachinery.model import Document
from memkube.apimachinery.names import is_qualified_name, subdomain_name
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.structural import StructuralSchema
from memkube.apimachinery.time import Time
from memkube.registry.declarations.custom_rules import CustomRules
from memkube.registry.declarations.custom_versions import CustomVersions, MakeConvert
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    FieldSelection,
    ListForm,
    ReadFields,
    Resource,
    StorageForm,
    StoredForm,
    Subresource,
    metadata_fields,
    status_subresource,
)
from memkube.registry.declarations.strategy import FieldPaths, Strategy
from memkube.registry.declarations.table import NAME_AND_AGE, TablePrinter
from memkube.registry.objects.conversion import renamed

_VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_STATUS: Final = "status"
_STANDARD_FINALIZERS: Final = ("orphan", "foregroundDeletion", "kubernetes")
_FINALIZERS: Final = "metadata.finalizers"
Check: TypeAlias = Callable[[Document], list[FieldError]]


def _always() -> bool:
    return True


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
    list_kind: str = ""
    may_be_created: Callable[[], bool] = _always
    """Whether there may be new objects, which is so until the kind is about to go."""


@dataclass(frozen=True, slots=True)
class CustomVersion:
    """One version of a custom kind."""

    name: str
    schema: Document
    """A structural OpenAPI v3 schema of whole objects."""
    has_status: bool = False
    """Whether ``status`` is a subresource, written apart from the rest."""
    printer: TablePrinter = NAME_AND_AGE
    deprecation: str = ""
    """What every answer warns of."""
    subresources: tuple[Subresource, ...] = ()
    """Further subresources."""
    check_spec: Check = field(default=lambda document: [])
    """Rules for new and changed objects besides those of the schema, such as about what a Scale is made of."""
    check_status: Check = field(default=lambda document: [])
    """The same for what is written through ``status`` as well."""
    selectable: Mapping[str, Callable[[Document], str]] = field(default_factory=dict)
    """How the fields are read, besides name and namespace, that objects can be selected by."""


def custom_resources(
    names: CustomNames, versions: Sequence[CustomVersion], stored: str, convert: MakeConvert = renamed
) -> list[Resource]:
    """The resources of all versions, objects being kept in the one that is named `stored`.

    `convert` makes the conversion to an apiVersion from any other. Without it, versions differ by their names and by
    what their schemas keep. Raises ValueError for a schema that is not served, and KeyError where no version is called
    `stored`.
    """
    made = {version.name: _resource(names, version) for version in versions}
    schemas = {resource.api_version: resource.structural for resource in made.values() if resource.structural}
    with_status = frozenset(made[version.name].api_version for version in versions if version.has_status)
    kept, all_versions = made[stored], CustomVersions(schemas, convert, with_status)
    to_stored = all_versions.writing(kept.api_version)
    resources = []
    for resource in made.values():
        own = resource.api_version
        form = StoredForm(kept, to_stored, all_versions.reading(own), all_versions.lasting(own))
        resources.append(replace(resource, storage=StorageForm(form), versions=all_versions))
    return resources


def _resource(names: CustomNames, version: CustomVersion) -> Resource:
    schema = StructuralSchema(version.schema, names.kind)
    rules = CustomRules(schema)
    strategy: type[CustomStrategy] = CustomStrategy
    subresources = version.subresources
    if version.has_status:
        strategy = CustomSpecStrategy
        subresources = (status_subresource(CustomStatusStrategy(schema, names, version, rules)), *subresources)
    labels = ("metadata.name", *(("metadata.namespace",) if names.namespaced else ()), *version.selectable)
    return Resource(
        group=names.group,
        version=version.name,
        kind=names.kind,
        plural=names.plural,
        singular=names.singular,
        strategy=strategy(schema, names, version, rules),
        printer=version.printer,
        structural=schema,
        namespaced=names.namespaced,
        short_names=names.short_names,
        categories=names.categories,
        subresources=subresources,
        lists=ListForm(names.list_kind),
        verbs=_VERBS,
        deprecation=version.deprecation,
        fields=FieldSelection(_selectable_fields(version), labels, NOT_SUPPORTED),
    )


def _selectable_fields(version: CustomVersion) -> ReadFields:
    if not version.selectable:
        return metadata_fields
    return lambda document: {
        **metadata_fields(document),
        **{label: read(document) for label, read in version.selectable.items()},
    }


class CustomStrategy(Strategy[Unstructured]):
    """How custom objects are created and changed that are written as a whole."""

    allow_unconditional_update: ClassVar[bool] = False
    validates_metadata: ClassVar[bool] = True

    def __init__(
        self, schema: StructuralSchema, names: CustomNames, version: CustomVersion, rules: CustomRules
    ) -> None:
        self._schema = schema
        self._names = names
        self._version = version
        self._rules = rules

    def default(self, obj: Unstructured) -> None:
        """See Strategy."""
        for name, value in self._schema.default(obj.content).items():
            obj.set_field(name, value)

    async def begin_create(self, stores: Stores, obj: Unstructured, context: WriteContext) -> Finish | None:
        """Raises ApiError 403 while the kind is about to go."""
        if not self._names.may_be_created():
            why = "create not allowed while custom resource definition is terminating"
            raise forbidden(GroupResource(self._names.group, self._names.plural), obj.metadata.name, why)
        return None

    def prepare_for_create(self, obj: Unstructured, now: Time) -> list[str]:
        """A new object is the first of its generations."""
        obj.metadata.generation = 1
        return []

    def validate(self, obj: Unstructured) -> list[FieldError]:
        """See Strategy."""
        return self._errors(obj, obj.to_document())

    async def find_errors(self, obj: Unstructured, context: WriteContext) -> list[FieldError]:
        """See Strategy."""
        document = obj.to_document()
        errors = self._errors(obj, document)
        return await self._rules.check(document, None, errors, context) if self._schema.has_rules else errors

    def _errors(self, obj: Unstructured, document: Document) -> list[FieldError]:
        errors = validate_object_meta(obj.metadata, self._names.namespaced, subdomain_name, FieldPath("metadata"))
        return errors + self._schema.validate(document, self._checked(document))

    def warnings_on_create(self, obj: Unstructured) -> list[str]:
        """About finalizers that others could write by accident."""
        return [warning for name in sorted(set(obj.metadata.finalizers)) for warning in _finalizer_warnings(name)]

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """Anything but metadata is a new generation when it changes."""
        if new.content != old.content:
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: Unstructured, old: Unstructured) -> list[FieldError]:
        """See Strategy."""
        document = new.to_document()
        return self._schema.validate_update(document, old.to_document(), self._checked(document))

    async def find_update_errors(self, new: Unstructured, old: Unstructured, context: WriteContext) -> list[FieldError]:
        """See Strategy."""
        # What the generic part of the update has said of the metadata is said once more.
        errors = validate_object_meta_update(new.metadata, old.metadata, FieldPath("metadata"))
        errors += self.validate_update(new, old)
        if not self._schema.has_rules:
            return errors
        return await self._rules.check(new.to_document(), old.to_document(), errors, context)

    def warnings_on_update(self, new: Unstructured, old: Unstructured) -> list[str]:
        """About new finalizers."""
        added = sorted(set(new.metadata.finalizers) - set(old.metadata.finalizers))
        return [warning for name in added for warning in _finalizer_warnings(name)]

    def _checked(self, document: Document) -> list[FieldError]:
        return self._version.check_spec(document) + self._version.check_status(document)


class CustomSpecStrategy(CustomStrategy):
    """Writes to an object whose ``status`` is written apart."""

    reset_fields: ClassVar[FieldPaths] = ((_STATUS,),)

    def prepare_for_create(self, obj: Unstructured, now: Time) -> list[str]:
        """A new object has no status yet."""
        obj.take_field(_STATUS, {})
        return super().prepare_for_create(obj, now)

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """The status stays."""
        new.take_field(_STATUS, old.content)
        super().prepare_for_update(new, old)


class CustomStatusStrategy(CustomStrategy):
    """Writes to ``status``."""

    reset_fields: ClassVar[FieldPaths] = (("metadata",), ("spec",))

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """Everything else stays, but for who owns what."""
        written, managed = dict(new.content), new.metadata.managedFields
        for name in {*written, *old.content}:
            new.take_field(name, written if name == _STATUS else old.content)
        if (
            new.content.get(_STATUS) is None
            and old.content.get(_STATUS) is None
            and not self._schema.keeps_null(_STATUS)
        ):
            # What is null where nothing was has not changed, and is not kept.
            new.take_field(_STATUS, {})
        new.metadata = old.metadata.model_copy(deep=True)
        new.metadata.managedFields = managed

    def validate_update(self, new: Unstructured, old: Unstructured) -> list[FieldError]:
        """See Strategy."""
        document = new.to_document()
        return self._schema.validate_status(document, old.to_document(), self._version.check_status(document))

    def warnings_on_update(self, new: Unstructured, old: Unstructured) -> list[str]:
        """See Strategy."""
        return []


def _finalizer_warnings(name: str) -> list[str]:
    warnings = [f"{_FINALIZERS}: {quoted(name)}: {why}" for why in is_qualified_name(name)]
    if "/" not in name and name not in _STANDARD_FINALIZERS:
        path = " including a path (/)" if "." in name else ""
        why = (
            f"prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
        )
        warnings.append(f"{_FINALIZERS}: {quoted(name)}: {why}")
    return warnings
