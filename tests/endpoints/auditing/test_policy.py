"""Audit policies: the first rule that matches a request decides."""

from pathlib import Path

import pytest

from memkube.endpoints.auditing.policy import read_audit_policy
from memkube.endpoints.auditing.rule import AuditRule, Level
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.request_options import User

HEAD = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"
PODS = Attributes(User("alice", groups=("dev",)), "get", "default", "", "v1", "pods", "", "web")
LOG = PODS._replace(subresource="log")
VERSION = Attributes(User("alice"), "get", is_resource=False, path="/version")


def rule_for(tmp_path: Path, rules: str, request: Attributes) -> AuditRule:
    path = tmp_path / "policy.yaml"
    path.write_text(f"{HEAD}rules: {rules}\n")
    return read_audit_policy(path).rule_for(request)


@pytest.mark.parametrize(
    ("rule", "request_", "matches"),
    [
        ("{}", PODS, True),
        ("{users: [bob]}", PODS, False),
        ("{users: [alice]}", PODS, True),
        ("{userGroups: [dev, ops]}", PODS, True),
        ("{userGroups: [ops]}", PODS, False),
        ("{verbs: [list]}", PODS, False),
        ("{namespaces: [default]}", PODS, True),
        ("{namespaces: [other]}", PODS, False),
        ("{namespaces: [default]}", VERSION, False),
        ("{resources: [{group: apps}]}", PODS, False),
        ("{resources: [{group: '*'}]}", PODS, True),
        ("{resources: [{group: '', resources: [pods]}]}", PODS, True),
        ("{resources: [{group: '', resources: [pods]}]}", LOG, False),
        ("{resources: [{group: '', resources: ['pods/*']}]}", LOG, True),
        ("{resources: [{group: '', resources: ['*/log']}]}", LOG, True),
        ("{resources: [{group: '', resources: ['*/log']}]}", PODS, False),
        ("{resources: [{group: '', resources: [pods], resourceNames: [db]}]}", PODS, False),
        ("{nonResourceURLs: [/version]}", VERSION, True),
        ("{nonResourceURLs: ['/v*']}", VERSION, True),
        ("{nonResourceURLs: [/healthz]}", VERSION, False),
        ("{nonResourceURLs: ['*']}", PODS, False),
    ],
)
def test_a_rule_matches_what_it_names(tmp_path: Path, rule: str, request_: Attributes, matches: bool) -> None:
    rules = f"[{rule[:-1]}{', ' if rule != '{}' else ''}level: Request}}, {{level: Metadata}}]"
    assert rule_for(tmp_path, rules, request_).level is (Level.REQUEST if matches else Level.METADATA)


def test_a_request_that_no_rule_matches_is_not_audited(tmp_path: Path) -> None:
    assert rule_for(tmp_path, "[{level: Request, users: [bob]}]", PODS).level is Level.NONE


def test_a_rule_adds_to_the_stages_that_the_policy_omits(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    rule = "{level: Metadata, omitStages: [Panic], omitManagedFields: false}"
    path.write_text(f"{HEAD}omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{rule}]\n")
    assert read_audit_policy(path).rule_for(PODS) == AuditRule(
        Level.METADATA, frozenset({"RequestReceived", "Panic"}), False
    )


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("[{level: All}]", 'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request"'),
        ("[{users: [a]}]", "rules[0].level: Required value"),
        ("[{level: None, nonResourceURLs: [healthz]}]", "rules[0].nonResourceURLs[0]: Invalid value: "),
        ("[{level: None, nonResourceURLs: [healthz]}]", "must begin with a '/' character"),
        ("[{level: None, nonResourceURLs: ['/a*b']}]", "must be the final character of the rule"),
        ("[{level: None, nonResourceURLs: ['*'], namespaces: [a]}]", "cannot apply to both"),
        ("[{level: None, resources: [{resourceNames: [a]}]}]", "rules[0].resources.resourceNames: Invalid value: "),
        ("[{level: None, resources: [{group: apps/v1}]}]", 'rules[0].resources.group: Invalid value: "apps/v1": '),
        ("[{level: None, omitStages: [Begin]}]", 'rules[0].omitStages[0]: Invalid value: "Begin": allowed stages are '),
        ("[{level: A}, {level: B}]", "rules[1].level: "),
        ("[null]", "rules[0].level: Required value"),
    ],
)
def test_an_invalid_rule_is_refused_in_the_words_of_kubernetes(tmp_path: Path, rules: str, why: str) -> None:
    with pytest.raises(ValueError, match="is invalid: ") as raised:
        rule_for(tmp_path, rules, PODS)
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{HEAD}rules: []", "has no rules"),
        (f"{HEAD}rules:", "has no rules"),
        ("kind: Policy\nrules: [{level: None}]", "must have the kind Policy of audit.k8s.io/v1"),
        (f"{HEAD}rules: [{{level: None, users: alice}}]", "rules.0.users"),
        (f"{HEAD}rules: [", "is not YAML"),
    ],
)
def test_an_invalid_policy_is_refused_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match="audit policy") as raised:
        read_audit_policy(path)
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)


def test_unknown_fields_of_a_policy_are_ignored_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert rule_for(tmp_path, "[{level: Request, verb: [list]}]", PODS).level is Level.REQUEST
    assert 'unknown field "rules[0].verb"' in caplog.text


def test_a_policy_may_omit_its_kind(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("apiVersion: audit.k8s.io/v1\nrules: [{level: Request}]\n")
    assert read_audit_policy(tmp_path / "policy.yaml").rule_for(PODS).level is Level.REQUEST


def test_a_null_in_a_policy_is_the_default(tmp_path: Path) -> None:
    assert rule_for(tmp_path, "[{level: Request, users: null}]", PODS).level is Level.REQUEST


def test_a_policy_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No such file or directory"):
        read_audit_policy(tmp_path / "missing.yaml")
