from typing import Any

import httpx
import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.flowcontrol.v1.flowschemas.strategy import FlowSchemaStatusStrategy
from memkube.apis.flowcontrol.v1.flowschemas.types import FlowSchema, FlowSchemaSpec
from memkube.apis.flowcontrol.v1.flowschemas.validation import validate_non_resource_path, validate_spec

PATH = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
GROUP = {"kind": "Group", "group": {"name": "g"}}
PODS = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["x"]}


def errors_of(name: str = "a", **fields: Any) -> list[str]:
    document = {"priorityLevelConfiguration": {"name": "level"}, "matchingPrecedence": 1000, **fields}
    return [str(error) for error in validate_spec(name, FlowSchemaSpec.from_document(document), FieldPath("spec"))]


def rule_errors(**fields: Any) -> list[str]:
    errors = errors_of(rules=[{"subjects": [GROUP], **fields}])
    return [error.removeprefix("spec.rules[0].") for error in errors]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"matchingPrecedence": -1}, "matchingPrecedence: Invalid value: -1: must be a positive value"),
        ({"matchingPrecedence": 10001}, "matchingPrecedence: Invalid value: 10001: must not be greater than 10000"),
        (
            {"matchingPrecedence": 1},
            "matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
        ),
        (
            {"distinguisherMethod": {"type": "Odd"}},
            'distinguisherMethod.type: Unsupported value: {"Type":"Odd"}: supported values: "ByNamespace", "ByUser"',
        ),
        (
            {"priorityLevelConfiguration": {"name": ""}},
            "priorityLevelConfiguration.name: Required value: must reference a priority level",
        ),
    ],
)
def test_a_schema_has_a_place_in_the_order_and_a_level(fields: dict[str, Any], error: str) -> None:
    assert errors_of(**fields) == [f"spec.{error}"]


def test_the_schema_named_exempt_may_come_first() -> None:
    assert errors_of("exempt", matchingPrecedence=1) == []


@pytest.mark.parametrize(
    ("field", "values", "what"),
    [
        ("verbs", ["*", "get"], "verbs"),
        ("apiGroups", ["", "*"], "api groups"),
        ("resources", ["*", "pods"], "resources"),
        ("namespaces", ["*", "x"], "namespaces"),
    ],
)
def test_nothing_stands_beside_a_wildcard(field: str, values: list[str], what: str) -> None:
    (error,) = rule_errors(resourceRules=[{**PODS, field: values}])
    assert error.startswith(f"resourceRules[0].{field}: Invalid value: [")
    assert error.endswith(f"]: if '*' is present, must not specify other {what}")


def test_a_rule_of_resources_names_some_of_each() -> None:
    assert [error.partition(": ")[0] for error in rule_errors(resourceRules=[{"clusterScope": True}, {}])] == [
        "resourceRules[0].verbs",
        "resourceRules[0].apiGroups",
        "resourceRules[0].resources",
        "resourceRules[1].verbs",
        "resourceRules[1].apiGroups",
        "resourceRules[1].resources",
        "resourceRules[1].namespaces",
    ]


def test_verbs_are_those_of_requests() -> None:
    (error,) = rule_errors(resourceRules=[{**PODS, "verbs": ["get", "escalate"]}])
    assert error.startswith('resourceRules[0].verbs: Unsupported value: ["get","escalate"]: supported values: "create"')


def test_namespaces_are_labels_of_domains() -> None:
    (error,) = rule_errors(resourceRules=[{**PODS, "namespaces": ["ok", "Not_Ok"]}])
    assert error.startswith(
        'resourceRules[0].namespaces[1]: Invalid value: "Not_Ok": '
        "each member of this list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label"
    )


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("", "must not be empty"),
        ("healthz", "must start with slash"),
        ("/a b", "must not contain white-space"),
        ("/a//b", "must not contain double slash"),
        ("/a*", "wildcard can only do suffix matching"),
        ("/*/*", "wildcard can only do suffix matching"),
        ("/", None),
        ("/a/*", None),
        ("/healthz", None),
    ],
)
def test_a_wildcard_ends_a_path(path: str, detail: str | None) -> None:
    errors = [error.detail for error in validate_non_resource_path(path, FieldPath("x"))]
    assert errors == ([] if detail is None else [detail])


@pytest.mark.parametrize("kind", ["User", "Group", "ServiceAccount"])
def test_a_subject_is_of_one_kind(kind: str) -> None:
    fields = {"User": "user", "Group": "group", "ServiceAccount": "serviceAccount"}
    everything = {"user": {"name": "u"}, "group": {"name": "g"}, "serviceAccount": {"namespace": "n", "name": "*"}}
    errors = errors_of(rules=[{"subjects": [{"kind": kind, **everything}], "resourceRules": [PODS]}])
    assert sorted(errors) == sorted(
        f"spec.rules[0].subjects[0].{field}: Forbidden: {field} is forbidden when subject kind is not '{other}'"
        for other, field in fields.items()
        if other != kind
    )


def test_a_status_update_keeps_the_metadata() -> None:
    old = FlowSchema.from_document({"metadata": {"name": "a", "labels": {"x": "1"}, "resourceVersion": "5"}})
    new = FlowSchema.from_document({"metadata": {"name": "a", "labels": {"x": "2"}, "managedFields": []}})
    FlowSchemaStatusStrategy().prepare_for_update(new, old)
    assert (new.metadata.labels, new.metadata.resourceVersion) == ({"x": "1"}, "5")
    assert new.metadata.managedFields == []


def test_conditions_have_types_of_their_own() -> None:
    schema = FlowSchema.from_document({"status": {"conditions": [{"type": "A"}, {"type": "A"}, {}]}})
    assert [str(error) for error in FlowSchemaStatusStrategy().validate_update(schema, schema)] == [
        'status.conditions[1].type: Duplicate value: "A"',
        "status.conditions[2].type: Required value",
    ]


def test_tables_show_schemas_in_the_order_in_which_they_are_tried(client: httpx.Client) -> None:
    table = client.get(PATH, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json()
    places = [(row["cells"][2], row["cells"][0]) for row in table["rows"]]
    assert places == sorted(places)
    assert places[:2] == [(1, "exempt"), (2, "probes")]
