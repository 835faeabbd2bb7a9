"""Every API type has exactly the fields that the tables of field facts list for it."""

import re
from collections.abc import Iterator

from memkube.apimachinery.decoding.errors import type_name
from memkube.apimachinery.field_facts import FieldFacts, GoPackage, go_package
from memkube.apimachinery.meta.v1.status import WatchEvent
from memkube.apimachinery.meta.v1.table import Table
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.protobuf import Messages
from memkube.apimachinery.schema import (
    FieldSchema,
    ListSchema,
    MapSchema,
    Scalar,
    Schema,
    StructSchema,
    struct_of,
)
from memkube.apimachinery.shown_values import shown
from memkube.apis.core.v1.podspec.internal_form import internal_value
from memkube.apis.settings.v1alpha1.podpresets.types import PodPreset
from tests.apimachinery.protobuf.encoder import Encoder
from tests.apis.filled_documents import filled_struct
from tests.apis.served_types import body_types
from tests.gathered import for_each

_STRUCTS_WITHOUT_FIELDS = {"Time", "MicroTime", "Quantity"}
_EMPTY_IS_NOT_NULL = {("ObjectMeta", "managedFields"), ("JSONSchemaProps", "dependencies")}
"""Fields in which an empty value differs from null, although they are no pointers in Go."""
_NEVER_SHOWN_INSIDE = {
    "CustomResourceConversion",
    "CustomResourceDefinition",
    "CustomResourceDefinitionSpec",
    "DaemonSet",
    "DaemonSetSpec",
    "HorizontalPodAutoscaler",
    "HorizontalPodAutoscalerSpec",
    "HorizontalPodAutoscalerStatus",
    "Deployment",
    "DeploymentSpec",
    "Event",
    "NamedRuleWithOperations",
    "PodSecurityContext",
}
"""Types with differing nested fields, which no error message shows on their own."""
_OTHER_NAMES = {"byte": "uint8", "interface{}": "interface {}"}
_NULL_BY_ITSELF = {"Time", "metav1.Time", "metav1.MicroTime", "runtime.RawExtension"}


def _structs() -> list[StructSchema]:
    """Return all structs of request bodies and responses."""
    found: dict[StructSchema, None] = {}
    waiting = [struct_of(model) for model in (*body_types(), PodPreset, Table, WatchEvent)]
    while waiting:
        struct = waiting.pop()
        if struct not in found:
            found[struct] = None
            waiting += [inner for field in struct.fields.values() for inner in _parts(field.schema)]
    return sorted(found, key=lambda struct: (struct.package, struct.name))


def _parts(schema: Schema) -> list[StructSchema]:
    if isinstance(schema, ListSchema):
        return _parts(schema.items)
    if isinstance(schema, MapSchema):
        return _parts(schema.values)
    return [schema.plain] if isinstance(schema, StructSchema) else []


def _declared(struct: StructSchema) -> Iterator[FieldFacts]:
    """Yield the fields in a struct's JSON. Fields of embedded structs replace the embedded struct."""
    for _, facts in _flat(go_package(struct.package), struct.name):
        yield facts


def _flat(
    package: GoPackage, struct: str, around: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], FieldFacts]]:
    """Yield each field with the names of the embedded structs that contain it."""
    for facts in package.fields(struct):
        if facts.name:
            yield around, facts
        else:
            path, name = package.resolve(facts.go_type)
            yield from _flat(go_package(path), name, (*around, name))


def _is_always_written(field: FieldSchema) -> bool:
    is_struct = isinstance(field.schema, StructSchema) or getattr(field.schema, "type", "") == "quantity"
    return (
        (is_struct and not field.pointer and not field.omit_zero)
        or field.always
        or (field.required and not field.omits_zero)
    )


def _is_never_omitted(facts: FieldFacts, struct: StructSchema) -> bool:
    """True if Go always writes the field, as it does for structs, which ``omitempty`` never treats as empty."""
    if facts.always or facts.omit_zero or not re.fullmatch(r"[\w.]+", facts.go_type):
        return facts.always
    path, name = go_package(struct.package).resolve(facts.go_type)
    return path != "" and (name in _STRUCTS_WITHOUT_FIELDS or name in go_package(path).structs)


def _written_type(struct: StructSchema, go_type: str) -> str:
    """Return a Go type as error messages name it: with the name of its package."""
    if made := re.fullmatch(r"(\[\]|map\[)(.*)", go_type):
        if made[1] == "[]":
            return f"[]{_written_type(struct, made[2])}"
        key, value = made[2].split("]", 1)
        return f"map[{_written_type(struct, key)}]{_written_type(struct, value)}"
    if go_type in _OTHER_NAMES:
        return _OTHER_NAMES[go_type]
    path, name = go_package(struct.package).resolve(go_type)
    return f"{go_package(path).name}.{name}" if path else name


def _named(struct: StructSchema) -> str:
    return f"{struct.package}.{struct.name}"


_each_struct = for_each(_structs(), _named)


@_each_struct
def test_a_type_has_the_fields_that_the_reference_declares_in_their_order(struct: StructSchema) -> None:
    assert list(struct.fields) == [facts.name for facts in _declared(struct)]


@_each_struct
def test_what_may_be_null_is_a_pointer_or_null_by_itself_in_the_reference(struct: StructSchema) -> None:
    for facts in _declared(struct):
        if (struct.name, facts.name) not in _EMPTY_IS_NOT_NULL:
            expected = facts.pointer or facts.go_type in _NULL_BY_ITSELF
            assert struct.fields[facts.name].pointer == expected, facts


@_each_struct
def test_what_is_written_when_it_is_zero_has_no_omitempty_in_the_reference(struct: StructSchema) -> None:
    declared = {facts.name: _is_never_omitted(facts, struct) for facts in _declared(struct)}
    assert {name: _is_always_written(field) for name, field in struct.fields.items()} == declared


@_each_struct
def test_scalars_are_called_by_the_types_that_the_reference_declares(struct: StructSchema) -> None:
    for facts in _declared(struct):
        schema = struct.fields[facts.name].schema
        if isinstance(schema, Scalar) and schema.type == "string":
            assert schema.name == _written_type(struct, facts.go_type.lstrip("*")), facts


@_each_struct
def test_fields_tell_which_embedded_structs_they_come_from(struct: StructSchema) -> None:
    expected = {facts.name: around for around, facts in _flat(go_package(struct.package), struct.name)}
    assert {name: field.embedded for name, field in struct.fields.items()} == expected


@_each_struct
def test_values_of_a_wrong_type_are_told_the_type_that_the_reference_declares(struct: StructSchema) -> None:
    for facts in _declared(struct):
        schema = struct.fields[facts.name].schema
        if not isinstance(schema, Scalar):
            assert type_name(schema) == _written_type(struct, facts.go_type.lstrip("*")), facts


@for_each(body_types(), lambda model: model.__name__)
def test_every_field_of_a_body_has_a_number(model: type[ApiModel]) -> None:
    document = filled_struct(struct_of(model))
    message = Encoder(go_package).message(struct_of(model), document)
    assert Messages(go_package).decode(struct_of(model), message) == document


@for_each([struct for struct in _structs() if struct.name not in _NEVER_SHOWN_INSIDE], _named)
def test_the_internal_form_of_a_type_can_be_shown(struct: StructSchema) -> None:
    assert struct.model is not None
    assert shown(internal_value(struct.model())).startswith("{")
