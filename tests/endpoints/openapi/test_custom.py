"""OpenAPI documents of custom kinds, in versions 2 and 3."""

from typing import Any

import pytest

from memkube.apimachinery.structural import StructuralSchema
from memkube.endpoints.openapi.descriptions import ResourceDescription
from memkube.endpoints.openapi.protobuf import v2_protobuf
from memkube.endpoints.openapi.v2 import v2_document
from memkube.endpoints.openapi.v3 import v3_document, v3_documents

_TYPED = {"apiVersion", "kind", "metadata"}
_FORMS = [{"type": "integer"}, {"type": "string"}]
_EITHER = {"x-kubernetes-int-or-string": True}
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def _gadgets(document: dict[str, Any], **further: Any) -> ResourceDescription:
    schema = StructuralSchema(document, "Gadget")
    verbs = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
    described = {"namespaced": True, "schema": schema.struct, "verbs": verbs, "list_kind": "Gadgets", **further}
    return ResourceDescription("example.com", "v1", "Gadget", "gadgets", document=document, **described)


def _published(spec: dict[str, Any], *, v2: bool) -> Any:
    gadgets = _gadgets({"type": "object", "properties": {"spec": spec}})
    if v2:
        return v2_document([gadgets])["definitions"]["com.example.v1.Gadget"]["properties"]["spec"]
    schemas = v3_document("example.com", "v1", [gadgets])["components"]["schemas"]
    return schemas["com.example.v1.Gadget"]["properties"]["spec"]


@pytest.mark.parametrize(
    ("spec", "v3", "v2"),
    [
        (_EITHER, {**_EITHER, "anyOf": _FORMS}, _EITHER),
        (
            {**_EITHER, "anyOf": [{"pattern": "a"}]},
            {**_EITHER, "anyOf": [{"pattern": "a"}], "allOf": [{"anyOf": _FORMS}]},
            _EITHER,
        ),
        ({"type": "string", "nullable": True}, {"type": "string", "nullable": True}, {}),
        ({"type": "string", "default": "a"}, {"type": "string", "default": "a"}, {"type": "string"}),
        (_OPEN, _OPEN, {"x-kubernetes-preserve-unknown-fields": True}),
        (
            {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {}}},
        ),
        ({"type": "string", "not": {"pattern": "a"}}, {"type": "string", "not": {"pattern": "a"}}, {"type": "string"}),
    ],
)
def test_a_schema_is_published_as_far_as_the_version_can_say_it(
    spec: dict[str, Any], v3: dict[str, Any], v2: dict[str, Any]
) -> None:
    assert _published(spec, v2=False) == v3
    assert _published(spec, v2=True) == v2


def test_an_object_inside_of_another_is_described_as_one() -> None:
    inner = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"a": {"type": "string"}}}
    for v2 in (False, True):
        published = _published({**inner, "required": ["a"]}, v2=v2)
        assert published["required"] == ["a", "kind", "apiVersion"]
        assert set(published["properties"]) == {"a", *_TYPED}


def test_a_kind_that_keeps_everything_is_any_object_in_v2() -> None:
    definitions = v2_document([_gadgets(_OPEN)])["definitions"]
    assert set(definitions["com.example.v1.Gadget"]) == {"type", "x-kubernetes-group-version-kind"}


def test_selectable_fields_are_described_in_both_versions() -> None:
    gadgets, told = _gadgets(_OPEN, selectable=("spec.a",)), "x-kubernetes-selectable-fields"
    schemas = v3_document("example.com", "v1", [gadgets])["components"]["schemas"]
    assert schemas["com.example.v1.Gadgets"][told] == [{"fieldPath": "spec.a"}]
    definitions = v2_document([gadgets])["definitions"]
    for kind in ("Gadget", "Gadgets"):
        assert definitions[f"com.example.v1.{kind}"][told] == [{"fieldPath": "spec.a"}]


def test_a_group_of_custom_kinds_has_no_document_of_its_own() -> None:
    assert "apis/example.com" not in v3_documents([_gadgets(_OPEN)])
    assert not any("watch" in path for path in v3_document("example.com", "v1", [_gadgets(_OPEN)])["paths"])


def test_limits_of_a_schema_are_in_the_protobuf_document() -> None:
    limited = {"type": "object", "properties": {"spec": {"type": "number", "minimum": 1.5, "enum": [True, 7]}}}
    plain = {"type": "object", "properties": {"spec": {"type": "number"}}}
    grown = len(v2_protobuf(v2_document([_gadgets(limited)]))) - len(v2_protobuf(v2_document([_gadgets(plain)])))
    assert grown > len(b"true") + len(b"7") + 8
