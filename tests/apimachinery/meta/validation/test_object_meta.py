from typing import Any

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.meta.v1.api_object import ManagedFieldsEntry, ObjectMeta, OwnerReference
from memkube.apimachinery.meta.validation.object_meta import (
    validate_field_manager,
    validate_object_meta,
    validate_object_meta_update,
)
from memkube.apimachinery.names import path_segment_name, subdomain_name
from memkube.apimachinery.time import Time

PATH = FieldPath("metadata")


def errors_of(**fields: Any) -> list[str]:
    meta = ObjectMeta(**{"name": "web", "namespace": "default", **fields})
    return [str(error) for error in validate_object_meta(meta, subdomain_name, PATH, namespaced=True)]


def test_plain_metadata_is_right() -> None:
    assert errors_of(labels={"app": "web"}, annotations={"Example.COM/a": "x y"}, finalizers=["a.b/c"]) == []


@pytest.mark.parametrize(
    ("fields", "beginning"),
    [
        ({"name": ""}, "metadata.name: Required value: name or generateName is required"),
        ({"name": "Web"}, 'metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain'),
        ({"generateName": "Web-"}, 'metadata.generateName: Invalid value: "Web-": a lowercase'),
        ({"namespace": ""}, "metadata.namespace: Required value"),
        ({"namespace": "a.b"}, 'metadata.namespace: Invalid value: "a.b": must not contain dots'),
        ({"generation": -1}, "metadata.generation: Invalid value: -1: must be greater than or equal to 0"),
        ({"labels": {"a b": "c"}}, 'metadata.labels: Invalid value: "a b": name part must consist'),
        ({"labels": {"a": "b c"}}, 'metadata.labels: Invalid value: "b c": a valid label must be'),
        ({"annotations": {"a b": "c"}}, 'metadata.annotations: Invalid value: "a b": name part must'),
        ({"annotations": {"a": "x" * 2**18}}, "metadata.annotations: Too long: may not be more than 262144 bytes"),
        ({"finalizers": ["x y"]}, 'metadata.finalizers: Invalid value: "x y": name part must consist'),
        (
            {"finalizers": ["orphan", "foregroundDeletion"]},
            'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and',
        ),
        (
            {"managedFields": [ManagedFieldsEntry(operation="Do")]},
            'metadata.managedFields[0].operation: Invalid value: "Do": must be `Apply` or `Update`',
        ),
    ],
)
def test_each_field_has_its_rule(fields: dict[str, Any], beginning: str) -> None:
    errors = errors_of(**fields)
    assert len(errors) == 1
    assert errors[0].startswith(beginning)


def test_a_cluster_wide_kind_has_no_namespace() -> None:
    errors = validate_object_meta(ObjectMeta(name="a", namespace="b"), path_segment_name, PATH, namespaced=False)
    assert [str(error) for error in errors] == ["metadata.namespace: Forbidden: not allowed on this type"]


def test_an_owner_is_told_completely() -> None:
    errors = errors_of(ownerReferences=[OwnerReference(apiVersion="a/b/c")])
    assert [error.partition(": Invalid")[0].removeprefix("metadata.ownerReferences.") for error in errors] == [
        "apiVersion", "kind", "name", "uid",
    ]  # fmt: skip


def test_events_own_nothing() -> None:
    event = OwnerReference(apiVersion="v1", kind="Event", name="a", uid="b")
    assert errors_of(ownerReferences=[event])[0].endswith("/v1, Kind=Event is disallowed from being an owner")


def test_one_owner_at_most_is_the_controller() -> None:
    owners = [OwnerReference(apiVersion="v1", kind="Pod", name=name, uid=name, controller=True) for name in "ab"]
    errors = errors_of(ownerReferences=owners)
    assert len(errors) == 1
    assert 'Found "true" in references for Pod/a and Pod/b' in errors[0]


def test_an_update_keeps_what_identifies_the_object() -> None:
    old = ObjectMeta(name="a", uid="1", resourceVersion="5", generation=2)
    new = ObjectMeta(name="b", uid="2", generation=1)
    assert [error.field for error in validate_object_meta_update(new, old, PATH)] == [
        "metadata.resourceVersion", "metadata.generation", "metadata.name", "metadata.uid",
    ]  # fmt: skip


def test_a_terminating_object_gets_no_new_finalizers() -> None:
    since = Time("2026-01-01T00:00:00Z")
    old = ObjectMeta(name="a", resourceVersion="5", deletionTimestamp=since, finalizers=["x.y/a"])
    new = old.model_copy(update={"finalizers": ["x.y/c", "x.y/a", "x.y/b"]})
    assert [str(error) for error in validate_object_meta_update(new, old, PATH)] == [
        (
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
            'found new finalizers []string{"x.y/b", "x.y/c"}'
        )
    ]


def test_a_manager_has_128_bytes_at_most() -> None:
    assert [str(e) for e in validate_field_manager("é" * 65, FieldPath("m"))] == [
        "m: Too long: may not be more than 128 bytes"
    ]


def test_a_manager_is_printable() -> None:
    assert [str(e) for e in validate_field_manager("é\nb", FieldPath("m"))] == [
        r'm: Invalid value: "é\nb": invalid character U+000A (at position 2)'
    ]
