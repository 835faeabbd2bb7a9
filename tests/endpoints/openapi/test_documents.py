from dataclasses import replace
from typing import Any

import httpx
import pytest

from memkube.endpoints.openapi.descriptions import operation_infix, tag
from memkube.endpoints.openapi.protobuf import v2_protobuf
from memkube.endpoints.openapi.v2 import v2_document
from memkube.endpoints.openapi.v3 import content_hash, v3_document, v3_documents, v3_index
from tests.endpoints.openapi.widgets import WIDGETS

_ROOT = "/apis/shop.k8s.io/v1"
_NAMED = f"{_ROOT}/namespaces/{{namespace}}/widgets/{{name}}"
_DOCUMENT = v3_document("shop.k8s.io", "v1", [WIDGETS])
_SCHEMAS = _DOCUMENT["components"]["schemas"]


def _schema(kind: str) -> Any:
    return next(schema for name, schema in _SCHEMAS.items() if name.endswith(f".{kind}"))


def _references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(_references, value.values()))
    return set().union(*map(_references, value)) if isinstance(value, list) else set()


def test_every_reference_leads_to_a_component() -> None:
    assert _references(_DOCUMENT) <= {f"#/components/schemas/{name}" for name in _SCHEMAS}


def test_every_reference_of_v2_leads_to_a_definition() -> None:
    document = v2_document([WIDGETS])
    assert _references(document) <= {f"#/definitions/{name}" for name in document["definitions"]}


def test_patch_shows_field_validation_so_that_kubectl_leaves_validation_to_the_server() -> None:
    parameters = _DOCUMENT["paths"][_NAMED]["patch"]["parameters"]
    assert "fieldValidation" in [parameter["name"] for parameter in parameters]


def test_parameters_that_all_operations_share_stand_on_the_path() -> None:
    item = _DOCUMENT["paths"][_NAMED]
    assert [parameter["name"] for parameter in item["parameters"]] == ["name", "namespace", "pretty"]
    assert "parameters" not in item["get"]


@pytest.mark.parametrize(
    ("path", "method", "identifier", "action"),
    [
        (f"{_ROOT}/namespaces/{{namespace}}/widgets", "get", "listShopV1NamespacedWidget", "list"),
        (
            f"{_ROOT}/namespaces/{{namespace}}/widgets",
            "delete",
            "deleteShopV1CollectionNamespacedWidget",
            "deletecollection",
        ),
        (f"{_ROOT}/widgets", "get", "listShopV1WidgetForAllNamespaces", "list"),
        (f"{_ROOT}/watch/widgets", "get", "watchShopV1WidgetListForAllNamespaces", "watchlist"),
        (f"{_NAMED}/status", "put", "replaceShopV1NamespacedWidgetStatus", "put"),
        (f"{_NAMED}/log", "get", "readShopV1NamespacedWidgetLog", "get"),
        (f"{_NAMED}/exec/{{path}}", "post", "connectShopV1PostNamespacedWidgetExecWithPath", "connect"),
    ],
)
def test_operations_are_named_as_in_the_reference(path: str, method: str, identifier: str, action: str) -> None:
    operation = _DOCUMENT["paths"][path][method]
    assert (operation["operationId"], operation["x-kubernetes-action"]) == (identifier, action)


def test_options_become_query_parameters() -> None:
    parameters = {p["name"]: p["schema"]["type"] for p in _DOCUMENT["paths"][f"{_NAMED}/exec"]["parameters"]}
    assert parameters == {"command": "string", "name": "string", "namespace": "string", "tty": "boolean"}


def test_a_map_list_shows_its_keys_and_its_merge_key() -> None:
    parts = _schema("Widget")["properties"]["parts"]
    assert parts["x-kubernetes-list-map-keys"] == ["name"]
    assert (parts["x-kubernetes-patch-merge-key"], parts["x-kubernetes-patch-strategy"]) == ("name", "merge")


def test_defaults_are_declared_ones_and_zeros_of_what_is_always_written() -> None:
    assert _schema("Widget")["properties"]["count"]["default"] == 0
    part = _schema("Widget")["properties"]["parts"]["items"]
    assert part["properties"]["colour"]["default"] == "red"
    assert "default" not in _schema("Widget")["properties"]["share"]


def test_kinds_say_their_group_and_version() -> None:
    expected = [{"group": "shop.k8s.io", "kind": "WidgetList", "version": "v1"}]
    assert _schema("WidgetList")["x-kubernetes-group-version-kind"] == expected


def test_the_index_changes_with_a_document() -> None:
    texts = [v3_documents([widgets]) for widgets in (WIDGETS, replace(WIDGETS, plural="gadgets"))]
    one, other = (v3_index({path: content_hash(text) for path, text in made.items()}) for made in texts)
    path = _ROOT[1:]
    assert one["paths"][path]["serverRelativeURL"].startswith(f"/openapi/v3/{path}?hash=")
    assert one != other


def test_the_protobuf_form_holds_every_definition() -> None:
    document = v2_document([WIDGETS])
    encoded = v2_protobuf(document)
    assert encoded.startswith(b"\x0a\x032.0")
    assert all(name.encode() in encoded for name in document["definitions"])


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("get", b"get\n"),
        (True, b"true\n"),
        (["one", "two"], b"- one\n- two\n"),
        ([{"group": "apps", "kind": "Scale"}], b"- group: apps\n  kind: Scale\n"),
        (
            [{"rule": "self.a == 'x' || self.b > 0", "message": "ü"}],
            "- message: ü\n  rule: self.a == 'x' || self.b > 0\n".encode(),
        ),
        ({}, b"{}\n"),
        ([{"version": "v1", "group": ""}], b'- group: ""\n  version: v1\n'),
    ],
)
def test_extensions_in_the_protobuf_form_are_yaml_in_block_style(value: object, written: bytes) -> None:
    encoded = v2_protobuf({"definitions": {"Gadget": {"x-kubernetes-unions": value}}})
    assert encoded.endswith(bytes([0x12, len(written)]) + written)


@pytest.mark.parametrize(
    ("group", "infix", "name"),
    [
        ("", "CoreV1", "core_v1"),
        ("policy", "PolicyV1", "policy_v1"),
        ("rbac.authorization.k8s.io", "RbacAuthorizationV1", "rbacAuthorization_v1"),
    ],
)
def test_groups_are_named_as_in_the_reference(group: str, infix: str, name: str) -> None:
    assert (operation_infix(group, "v1"), tag(group, "v1")) == (infix, name)


def _served(client: httpx.Client, path: str, name: str) -> Any:
    return client.get(f"/openapi/v3/{path}").json()["components"]["schemas"][name]


def test_items_of_lists_and_maps_are_plain_references_without_defaults(client: httpx.Client) -> None:
    pods = _served(client, "api/v1", "io.k8s.api.core.v1.PodList")["properties"]["items"]
    assert pods["items"] == {"$ref": "#/components/schemas/io.k8s.api.core.v1.Pod"}
    labels = _served(client, "api/v1", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")["properties"]["labels"]
    assert labels["additionalProperties"] == {"type": "string"}


def test_built_in_kinds_are_said_to_be_served_as_protobuf(client: httpx.Client) -> None:
    pods = client.get("/openapi/v3/api/v1").json()["paths"]["/api/v1/namespaces/{namespace}/pods"]
    json, protobuf = ("application/json", "application/vnd.kubernetes.protobuf")
    assert {json, protobuf, f"{protobuf};stream=watch"} < pods["get"]["responses"]["200"]["content"].keys()
    assert {json, protobuf} < pods["post"]["responses"]["201"]["content"].keys()


def test_a_kind_without_protobuf_is_not_said_to_have_it() -> None:
    plain = v3_document("shop.k8s.io", "v1", [replace(WIDGETS, has_protobuf=False)])["paths"][_NAMED]
    assert plain["get"]["responses"]["200"]["content"].keys() == {"application/json", "application/yaml"}
    assert plain["parameters"] == _DOCUMENT["paths"][_NAMED]["parameters"]


@pytest.mark.parametrize(
    ("path", "name", "union"),
    [
        (
            "api/v1",
            "core.v1.SeccompProfile",
            {"discriminator": "type", "fields-to-discriminateBy": {"localhostProfile": "LocalhostProfile"}},
        ),
        ("api/v1", "core.v1.PodSchedulingGroup", {"fields-to-discriminateBy": {"podGroupName": "PodGroupName"}}),
    ],
)
def test_unions_are_declared(client: httpx.Client, path: str, name: str, union: dict[str, Any]) -> None:
    assert _served(client, path, f"io.k8s.api.{name}")["x-kubernetes-unions"] == [union]


@pytest.mark.parametrize(
    ("path", "consumed"),
    [
        ("/version/", ["application/json"]),
        ("/api/", ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]),
        ("/openid/v1/jwks/", None),
        (f"{_ROOT}/widgets", ["*/*"]),
    ],
)
def test_v2_says_what_requests_without_a_body_consume(path: str, consumed: list[str] | None) -> None:
    assert v2_document([WIDGETS])["paths"][path]["get"].get("consumes") == consumed
