"""Custom kinds, which CustomResourceDefinitions declare at run time.

A custom kind has names, and a structural schema for each version. Source: apiextensions
``pkg/registry/customresource``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, TypeAlias

from memkube.apimachinery.errors import GroupResource, forbidden
from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.field_errors import invalid as invalid_value
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta, validate_object_meta_update
from memkube.apimachinery.model import Document
from memkube.apimachinery.names import is_qualified_name, subdomain_name
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.structural import StructuralSchema, has_whole_float, with_whole_numbers
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
    """Group and names of a custom kind (``spec.group`` and ``spec.names`` of a CustomResourceDefinition)."""

    group: str
    kind: str
    plural: str
    singular: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    list_kind: str = ""
    may_be_created: Callable[[], bool] = _always
    """Function that returns False if no objects can be created, because the CustomResourceDefinition is terminating."""


@dataclass(frozen=True, slots=True)
class CustomVersion:
    """One version of a custom kind (``spec.versions`` of a CustomResourceDefinition)."""

    name: str
    schema: Document
    """Structural OpenAPI v3 schema of the whole object."""
    has_status: bool = False
    """True if the version has a ``status`` subresource."""
    printer: TablePrinter = NAME_AND_AGE
    deprecation: str = ""
    """Deprecation warning, sent as a Warning header in every response; empty if the version is not deprecated."""
    subresources: tuple[Subresource, ...] = ()
    """Subresources of the version except ``status``, for example ``scale``."""
    check_spec: Check = field(default=lambda document: [])
    """Function that validates what the schema cannot express, such as the value at the replicas path of ``scale``.

    It returns the errors. It is called for writes of the whole object.
    """
    check_status: Check = field(default=lambda document: [])
    """Function that validates what the schema cannot express in ``status``, and returns the errors.

    It is called for all writes, those of the ``status`` subresource included.
    """
    selectable: Mapping[str, Callable[[Document], str]] = field(default_factory=dict)
    """Functions that read a selectable field from an object (``selectableFields``), by field path."""
    is_served: bool = True
    """False if clients cannot use the version. Objects may still be stored in it."""


def custom_resources(
    names: CustomNames, versions: Sequence[CustomVersion], stored: str, convert: MakeConvert = renamed
) -> list[Resource]:
    """Return the resources of a custom kind, one for each version. Objects are stored in the version `stored`.

    `convert` takes an apiVersion, and returns a function that converts objects of any version to it. By default, the
    conversion only changes the apiVersion and prunes unknown fields. Raises ValueError for an unsupported schema, and
    KeyError if no version is named `stored`.
    """
    made = {version.name: _resource(names, version) for version in versions}
    schemas = {resource.api_version: resource.structural for resource in made.values() if resource.structural}
    with_status = frozenset(made[version.name].api_version for version in versions if version.has_status)
    kept, all_versions = made[stored], CustomVersions(schemas, convert, with_status)
    to_stored = all_versions.writing(kept.api_version)
    has_hash = any(version.is_served for version in versions if version.name == stored)
    resources = []
    for resource in made.values():
        own = resource.api_version
        form = StoredForm(kept, to_stored, all_versions.reading(own), all_versions.cache_condition(own))
        stored_form = StorageForm(form, prefix=f"{names.group}/{names.plural}", has_hash=has_hash)
        resources.append(replace(resource, stored=stored_form, versions=all_versions))
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
    """Defaults and validates custom objects by the schema of their version, and increments ``metadata.generation``.

    It is used for versions without a ``status`` subresource. The strategies of versions with this subresource inherit
    from it.
    """

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
        for name, value in self._schema.default(obj.content).items():
            obj.set_field(name, value)

    async def begin_create(self, stores: Stores, obj: Unstructured, context: WriteContext) -> Finish | None:
        """Raise ApiError 403 if the CustomResourceDefinition is terminating. Return None, as nothing is reserved."""
        if not self._names.may_be_created():
            why = "create not allowed while custom resource definition is terminating"
            raise forbidden(GroupResource(self._names.group, self._names.plural), obj.metadata.name, why)
        return None

    def prepare_for_create(self, obj: Unstructured, now: Time) -> list[str]:
        """Set ``metadata.generation`` to 1."""
        obj.metadata.generation = 1
        return []

    def validate(self, obj: Unstructured) -> list[FieldError]:
        return self._errors(obj, obj.to_document())

    async def find_errors(self, obj: Unstructured, context: WriteContext) -> list[FieldError]:
        document = obj.to_document()
        errors = self._errors(obj, document)
        return await self._rules.check(document, None, errors, context) if self._schema.has_rules else errors

    def _type_errors(self, obj: Unstructured) -> list[FieldError]:
        """Return the errors if a client sent another kind or apiVersion than that of the URL (``ValidateTypeMeta``)."""
        kind, api_version = self._names.kind, f"{self._names.group}/{self._version.name}"
        errors = []
        if obj.kind != kind:
            errors.append(invalid_value("kind", obj.kind, f"must be {kind}"))
        if obj.apiVersion != api_version:
            errors.append(invalid_value("apiVersion", obj.apiVersion, f"must be {api_version}"))
        return errors

    def _errors(self, obj: Unstructured, document: Document) -> list[FieldError]:
        if errors := self._type_errors(obj):
            return errors
        errors = validate_object_meta(obj.metadata, subdomain_name, namespaced=self._names.namespaced)
        return errors + self._schema.validate(document, self._checked(document))

    def warnings_on_create(self, obj: Unstructured) -> list[str]:
        """Return warnings about finalizers without a domain."""
        return [warning for name in sorted(set(obj.metadata.finalizers)) for warning in _finalizer_warnings(name)]

    def take_stored_form(self, obj: Unstructured) -> None:
        """Replace whole floats such as ``1.0`` by integers, as Go's JSON encoder does.

        CEL rules and admission policies run before this method, because ``1.0`` is a float for them.
        """
        if has_whole_float(obj.content):
            for name, value in with_whole_numbers(obj.content).items():
                obj.set_field(name, value)

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """Increment ``metadata.generation`` if the update changes anything but metadata.

        As in Go, the float ``1.0`` in a request differs from the stored integer 1.
        """
        if new.content != old.content or has_whole_float(new.content):
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: Unstructured, old: Unstructured) -> list[FieldError]:
        document = new.to_document()
        return self._schema.validate_update(document, old.to_document(), self._checked(document))

    async def find_update_errors(self, new: Unstructured, old: Unstructured, context: WriteContext) -> list[FieldError]:
        if errors := self._type_errors(new):
            return errors
        # The generic update has already reported these errors in the metadata. kube-apiserver reports them twice too.
        errors = validate_object_meta_update(new.metadata, old.metadata)
        errors += self.validate_update(new, old)
        if not self._schema.has_rules:
            return errors
        return await self._rules.check(new.to_document(), old.to_document(), errors, context)

    def warnings_on_update(self, new: Unstructured, old: Unstructured) -> list[str]:
        """Return warnings about newly added finalizers without a domain."""
        added = sorted(set(new.metadata.finalizers) - set(old.metadata.finalizers))
        return [warning for name in added for warning in _finalizer_warnings(name)]

    def _checked(self, document: Document) -> list[FieldError]:
        return self._version.check_spec(document) + self._version.check_status(document)


class CustomSpecStrategy(CustomStrategy):
    """Like CustomStrategy, but ignores the status that a client sends: only the ``status`` subresource can write it."""

    reset_fields: ClassVar[FieldPaths] = ((_STATUS,),)

    def prepare_for_create(self, obj: Unstructured, now: Time) -> list[str]:
        """Clear the status."""
        obj.take_field(_STATUS, {})
        return super().prepare_for_create(obj, now)

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """Replace the status by that of the stored object."""
        new.take_field(_STATUS, old.content)
        super().prepare_for_update(new, old)


class CustomStatusStrategy(CustomStrategy):
    """Strategy for writing the ``status`` subresource of custom objects, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("metadata",), ("spec",))

    def prepare_for_update(self, new: Unstructured, old: Unstructured) -> None:
        """Take everything except the status and metadata.managedFields from the stored object."""
        new.kind, new.apiVersion = old.kind, old.apiVersion
        written, managed = dict(new.content), new.metadata.managedFields
        for name in {**written, **old.content}:
            new.take_field(name, written if name == _STATUS else old.content)
        if (
            new.content.get(_STATUS) is None
            and old.content.get(_STATUS) is None
            and not self._schema.keeps_null(_STATUS)
        ):
            # If the stored object has no status, a null status is not a change.
            new.take_field(_STATUS, {})
        new.metadata = old.metadata.model_copy(deep=True)
        new.metadata.managedFields = managed

    def validate_update(self, new: Unstructured, old: Unstructured) -> list[FieldError]:
        document = new.to_document()
        return self._schema.validate_status(document, old.to_document(), self._version.check_status(document))

    def warnings_on_update(self, new: Unstructured, old: Unstructured) -> list[str]:
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
