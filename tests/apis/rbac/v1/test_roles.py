from typing import Any

import httpx
import pytest

from memkube.apis.rbac.v1.roles.strategy import (
    ClusterRoleStrategy,
    validate_cluster_role,
    validate_role,
)
from memkube.apis.rbac.v1.roles.types import ClusterRole, Role

_RULE = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
_WRONG_VALUE = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]}


def _cluster_role(**fields: Any) -> ClusterRole:
    return ClusterRole.from_document({"metadata": {"name": "a", "resourceVersion": "1"}, **fields})


def _role_errors(**rule: Any) -> list[str]:
    role = Role.from_document({"metadata": {"name": "a", "namespace": "default"}, "rules": [rule]})
    return [str(error) for error in validate_role(role)]


def test_a_rule_of_nothing_lacks_everything() -> None:
    assert _role_errors() == [
        "rules[0].verbs: Required value: verbs must contain at least one value",
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource",
    ]


def test_roles_of_a_namespace_have_no_addresses() -> None:
    assert _role_errors(verbs=["get"], nonResourceURLs=["/x"]) == [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'
    ]


def test_a_rule_is_about_resources_or_addresses() -> None:
    [error] = validate_cluster_role(_cluster_role(rules=[{**_RULE, "nonResourceURLs": ["/x"]}]))
    assert error.detail == "rules cannot apply to both regular resources and non-resource URLs"


def test_an_aggregation_selects_something() -> None:
    [error] = validate_cluster_role(_cluster_role(aggregationRule={}))
    assert str(error) == (
        "aggregationRule.clusterRoleSelectors: Required value: "
        "at least one clusterRoleSelector required if aggregationRule is non-nil"
    )


def test_a_selector_that_cannot_be_evaluated_is_wrong_twice() -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "Near"}]}
    errors = validate_cluster_role(_cluster_role(aggregationRule={"clusterRoleSelectors": [selector]}))
    assert [str(error).partition(": ")[2] for error in errors] == [
        'Invalid value: "Near": not a valid selector operator',
        "Invalid value: null: invalid label selector.",
    ]


@pytest.mark.parametrize(("before", "errors"), [([_WRONG_VALUE], 1), ([{}], 2)])
def test_a_value_that_no_label_has_may_stay_but_not_be_evaluated(before: list[Any], errors: int) -> None:
    new = _cluster_role(aggregationRule={"clusterRoleSelectors": [_WRONG_VALUE]})
    old = _cluster_role(aggregationRule={"clusterRoleSelectors": before})
    assert len(ClusterRoleStrategy().validate_update(new, old)) == errors


def test_a_put_creates_a_role(client: httpx.Client, namespace: str) -> None:
    address = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles/Reader:x"
    body = {"metadata": {"name": "Reader:x"}, "rules": [_RULE]}
    assert client.put(address, json=body).status_code == 201
    assert client.put(address, json=body).status_code == 200
