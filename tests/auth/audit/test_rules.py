"""The RBAC rules that an audit derives from requests."""

from typing import Any

import pytest

from memkube.auth.audit.rules import fewest_rules, without_covered
from memkube.registry.declarations.request_options import Right


def _rule(groups: str, resources: str, verbs: str, names: str = "") -> dict[str, Any]:
    rule = {"apiGroups": ["" if group == "core" else group for group in groups.split()], "resources": resources.split()}
    return {**rule, **({"resourceNames": names.split()} if names else {}), "verbs": verbs.split()}


def test_verbs_of_a_resource_are_one_rule_in_a_fixed_order() -> None:
    rights = [Right(verb, "", "pods") for verb in ("delete", "custom", "watch", "list", "get", "list")]
    assert fewest_rules(rights) == [_rule("core", "pods", "get list watch delete custom")]


def test_resources_with_the_same_verbs_share_a_rule() -> None:
    rights = [Right("get", "", "secrets"), Right("get", "", "configmaps"), Right("list", "", "pods")]
    assert fewest_rules(rights) == [_rule("core", "configmaps secrets", "get"), _rule("core", "pods", "list")]


def test_groups_share_a_rule_only_if_their_resources_are_the_same() -> None:
    rights = [Right("create", group, "events") for group in ("events.k8s.io", "")]
    rights += [Right("get", "apps", "deployments"), Right("get", "batch", "jobs")]
    assert fewest_rules(rights) == [
        _rule("core events.k8s.io", "events", "create"),
        _rule("apps", "deployments", "get"),
        _rule("batch", "jobs", "get"),
    ]


def test_objects_are_named_if_asked() -> None:
    rights = [Right("get", "", "secrets", name=name) for name in "ba"]
    rights += [Right("update", "", "secrets", name="a"), Right("list", "", "secrets")]
    assert fewest_rules(rights) == [_rule("core", "secrets", "get list update")]
    assert fewest_rules(rights, names=True) == [
        _rule("core", "secrets", "list"),
        _rule("core", "secrets", "get update", names="a"),
        _rule("core", "secrets", "get", names="b"),
    ]


def test_a_verb_on_all_objects_is_not_repeated_for_named_ones() -> None:
    rights = [Right("get", "", "secrets", name="a"), Right("get", "", "secrets")]
    assert fewest_rules(rights, names=True) == [_rule("core", "secrets", "get")]


def test_rights_beyond_the_verbs_of_the_api_always_name_their_object() -> None:
    rights = [Right("impersonate", "", "users", name="alice"), Right("get", "", "users", name="alice")]
    assert fewest_rules(rights) == [
        _rule("core", "users", "get"),
        _rule("core", "users", "impersonate", names="alice"),
    ]


def test_paths_share_a_rule_if_their_verbs_are_the_same() -> None:
    rights = [Right("get", path="/metrics"), Right("get", path="/a"), Right("post", path="/a"), Right("get", path="/b")]
    assert fewest_rules(rights) == [
        {"nonResourceURLs": ["/a"], "verbs": ["get", "post"]},
        {"nonResourceURLs": ["/b", "/metrics"], "verbs": ["get"]},
    ]


@pytest.mark.parametrize(
    "right",
    [
        Right("get", path="/apis/apps/v1"),
        Right("get", path="/version"),
        Right("create", "authorization.k8s.io", "selfsubjectaccessreviews"),
    ],
)
def test_rights_of_all_users_are_left_out(right: Right) -> None:
    assert without_covered([right, Right("get", path="/metrics")]) == {Right("get", path="/metrics")}


def test_a_right_in_all_namespaces_covers_that_in_one() -> None:
    rights = [Right("list", "", "pods", "a"), Right("list", "", "pods"), Right("get", "", "pods", "a", "b")]
    assert without_covered(rights) == {Right("list", "", "pods"), Right("get", "", "pods", "a", "b")}


def test_namespaces_are_cluster_scoped() -> None:
    assert without_covered([Right("get", "", "namespaces", "a", "a")]) == {Right("get", "", "namespaces", "", "a")}
