from typing import Any

import httpx
import pytest

from tests.admission.policies.conftest import Bind

CONFIG_MAP = {"metadata": {"name": "one"}, "data": {"k": "v"}}


def apply(*expressions: str, **more: Any) -> dict[str, Any]:
    changes = [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": text}} for text in expressions]
    return {"mutations": changes, **more}


def patch(*expressions: str, **more: Any) -> dict[str, Any]:
    changes = [{"patchType": "JSONPatch", "jsonPatch": {"expression": text}} for text in expressions]
    return {"mutations": changes, **more}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("duration('90s')", "90s"),
        ("timestamp('2020-01-01T00:00:00Z')", "2020-01-01T00:00:00Z"),
        ("b'abc'", "YWJj"),
        ("9007199254740993", "9007199254740993"),
        ("optional.of('x')", "x"),
    ],
)
def test_values_of_patches_are_written_as_json_has_them(
    client: httpx.Client, mutate: Bind, config_maps: str, value: str, written: str
) -> None:
    mutate(patch(f"[JSONPatch{{op: 'add', path: '/data/x', value: {value}}}]"))
    assert client.post(config_maps, json=CONFIG_MAP).json()["data"] == {"k": "v", "x": written}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("{1: 'b'}", "unsupported type conversion from 'int' to string"),
        ("quantity('1')", "type conversion error from 'Quantity' to '*structpb.Value'"),
    ],
)
def test_values_that_json_does_not_have_are_refused(
    client: httpx.Client, mutate: Bind, config_maps: str, value: str, why: str
) -> None:
    mutate(patch(f"[JSONPatch{{op: 'add', path: '/data/x', value: {value}}}]"))
    refused = client.post(config_maps, json=CONFIG_MAP)
    assert refused.status_code == 403
    assert refused.json()["message"].endswith(f"evaluated to a type that could not marshal to JSON: {why}")


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("/kind", "Secret", "illegal base64 data at input byte 0"),
        ("/apiVersion", "v2", 'no kind "ConfigMap" is registered for version "v2"'),
        ("/metadata/unknown", "x", 'strict decoding error: unknown field "metadata.unknown"'),
    ],
)
def test_a_patch_must_leave_an_object_of_the_kind_even_where_failures_are_ignored(
    client: httpx.Client, mutate: Bind, config_maps: str, path: str, value: str, why: str
) -> None:
    mutate(patch(f"[JSONPatch{{op: 'add', path: '{path}', value: '{value}'}}]", failurePolicy="Ignore"))
    refused = client.post(config_maps, json=CONFIG_MAP)
    assert refused.status_code == 500
    assert refused.json()["message"].startswith(f"Internal error occurred: {why}")


def test_a_mutation_that_makes_an_annotation_unreadable_is_refused(
    client: httpx.Client, mutate: Bind, config_maps: str
) -> None:
    rules = [{"operations": ["*"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]}]
    annotations = "{'deprecated.deployment.rollback.to': 'x'}"
    mutate(
        patch(
            f"[JSONPatch{{op: 'add', path: '/metadata/annotations', value: {annotations}}}]",
            matchConstraints={"resourceRules": rules},
        )
    )
    deployments = config_maps.replace("/api/v1/", "/apis/apps/v1/").replace("configmaps", "deployments")
    refused = client.post(deployments, json={"metadata": {"name": "a"}})
    assert refused.status_code == 500
    assert refused.json()["message"].startswith("failed to parse annotation[deprecated.deployment.rollback.to]=x")


def test_objects_are_called_after_where_they_stand(client: httpx.Client, mutate: Bind, config_maps: str) -> None:
    mutate(apply("Object{metadata: Object.metadata{labels: Object.metadata.annotations{a: 'b'}}}"))
    expected = 'unexpected type name "Object.metadata.annotations", expected "Object.metadata.labels"'
    message = client.post(config_maps, json=CONFIG_MAP).json()["message"]
    assert message.endswith(f"type mismatch: {expected}, which matches field name path from root Object type")


def test_a_later_mutation_sees_what_earlier_ones_have_made(
    client: httpx.Client, mutate: Bind, config_maps: str
) -> None:
    mutate(apply("Object{data: {'a': object.data.k + '1'}}", "Object{data: {'b': object.data.a + '2'}}"))
    assert client.post(config_maps, json=CONFIG_MAP).json()["data"] == {"k": "v", "a": "v1", "b": "v12"}


def test_one_mutation_that_fails_does_not_keep_others_from_being_made(
    client: httpx.Client, mutate: Bind, config_maps: str
) -> None:
    mutate(apply("Object{data: {'a': object.data.none}}", "Object{data: {'b': 'x'}}", failurePolicy="Ignore"))
    assert client.post(config_maps, json=CONFIG_MAP).json()["data"] == {"k": "v", "b": "x"}


def test_a_policy_that_wants_to_look_again_does_so_once_even_after_its_own_changes(
    client: httpx.Client, mutate: Bind, config_maps: str
) -> None:
    mutate(apply("Object{data: {'n': object.?data.n.orValue('') + 'x'}}", reinvocationPolicy="IfNeeded"))
    assert client.post(config_maps, json=CONFIG_MAP).json()["data"]["n"] == "xx"


def test_changes_get_their_defaults_and_belong_to_nobody(client: httpx.Client, namespace: str, mutate: Bind) -> None:
    container = "Object.spec.containers{name: 'side', image: 'busybox'}"
    mutate(apply(f"Object{{spec: Object.spec{{containers: [{container}]}}}}"), {"resources": ["pods"]})
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}
    made = client.post(f"/api/v1/namespaces/{namespace}/pods", json=pod).json()
    assert [each["name"] for each in made["spec"]["containers"]] == ["app", "side"]
    assert made["spec"]["containers"][1]["imagePullPolicy"] == "Always"
    assert "side" not in str(made["metadata"]["managedFields"])


def test_what_is_shown_as_a_scale_is_changed_as_one(client: httpx.Client, namespace: str, mutate: Bind) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    address = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    client.post(address, json={"metadata": {"name": "web"}, "spec": spec}).raise_for_status()
    rule = {"apiGroups": ["apps"], "resources": ["deployments/scale"]}
    mutate(apply("Object{spec: Object.spec{replicas: object.spec.replicas * 2}}"), rule)
    patched = client.patch(
        f"{address}/web/scale",
        json={"spec": {"replicas": 3}},
        headers={"content-type": "application/merge-patch+json"},
    )
    assert patched.json()["spec"]["replicas"] == 6
    assert client.get(f"{address}/web").json()["spec"]["replicas"] == 6


def test_parameters_of_built_in_kinds_do_not_say_their_kind(
    client: httpx.Client, namespace: str, mutate: Bind, config_maps: str
) -> None:
    client.post(config_maps, json={"metadata": {"name": "p"}, "data": {"x": "y"}}).raise_for_status()
    spec = apply(
        "Object{data: {'x': string(params.data.x), 'kind': string(has(params.kind))}}",
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
    )
    mutate(spec, paramRef={"name": "p", "namespace": namespace, "parameterNotFoundAction": "Deny"})
    assert client.post(config_maps, json=CONFIG_MAP).json()["data"] == {"k": "v", "x": "y", "kind": "false"}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("data: {'k': null}", ".data.k: expected string, got &value.valueUnstructured{Value:0}"),
        ("data: null", ".data: expected map, got &{NULL_VALUE}"),
        ("immutable: null", ".immutable: expected boolean, got &{NULL_VALUE}"),
        (
            "metadata: Object.metadata{generation: 5u}",
            ".metadata.generation: expected numeric (int or float), got uint64",
        ),
    ],
)
def test_null_and_uints_fit_no_field_of_a_configuration(
    client: httpx.Client, mutate: Bind, config_maps: str, fields: str, why: str
) -> None:
    mutate(apply(f"Object{{{fields}}}"))
    message = client.post(config_maps, json=CONFIG_MAP).json()["message"]
    assert message.endswith(f"failed to convert patch object to typed object: {why}")
