"""Authorizers that a file with an AuthorizationConfiguration defines."""

import json
from pathlib import Path
from typing import Any

import pytest

from memkube.auth.authorization.configuration import read_authorization_configuration
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers, WebhookOptions
from memkube.server.settings import Settings
from tests.auth.webhooks import as_user, reviewing, server_with

RBAC = {"type": "RBAC", "name": "rbac"}


def _file(folder: Path, *authorizers: dict[str, Any], **fields: Any) -> Path:
    path = folder / "authorization.yaml"
    document = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthorizationConfiguration"}
    path.write_text(json.dumps({**document, "authorizers": authorizers, **fields}))
    return path


def _webhook(kubeconfig: Path, name: str = "hook", **fields: Any) -> dict[str, Any]:
    webhook = {
        "timeout": "3s",
        "subjectAccessReviewVersion": "v1",
        "matchConditionSubjectAccessReviewVersion": "v1",
        "failurePolicy": "NoOpinion",
        "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": str(kubeconfig)},
    }
    return {"type": "Webhook", "name": name, "webhook": {**webhook, **fields}}


def _problem(path: Path) -> str:
    with pytest.raises(ValueError, match="the authorization configuration") as error:
        read_authorization_configuration(path)
    return str(error.value).partition(" is invalid: ")[2]


def test_authorizers_are_kept_in_their_order(tmp_path: Path) -> None:
    (file := tmp_path / "kubeconfig").touch()
    conditions = [{"expression": "has(request.resourceAttributes)"}]
    first = _webhook(file, failurePolicy="Deny", cacheAuthorizedRequests=False, matchConditions=conditions)
    second = _webhook(file, "other", unauthorizedTTL="1m")
    found = read_authorization_configuration(_file(tmp_path, first, {"type": "Node", "name": "node"}, RBAC, second))
    assert found == ConfiguredAuthorizers(
        ("Webhook", "Node", "RBAC", "Webhook"),
        (
            WebhookOptions(file, "v1", 0, 30, 3, denies_on_failure=True, conditions=(conditions[0]["expression"],)),
            WebhookOptions(file, "v1", 300, 60, 3),
        ),
        tmp_path / "authorization.yaml",
    )


@pytest.mark.parametrize(
    ("authorizers", "error"),
    [
        ([], "authorizers: Required value: at least one authorization mode must be defined"),
        ([{"name": "a"}], "authorizers[0].type: Required value"),
        (
            [{"type": "ABAC", "name": "a"}],
            'authorizers[0].type: Invalid value: "ABAC": memkube does not support this value',
        ),
        ([RBAC, {"type": "RBAC", "name": "b"}], 'authorizers[1].type: Duplicate value: "RBAC"'),
        ([RBAC, {"type": "Node", "name": "rbac"}], 'authorizers[1].name: Duplicate value: "rbac"'),
        ([{"type": "RBAC"}], "authorizers[0].name: Required value"),
        ([{"type": "Node", "name": "a"}], "expected name node for authorizer Node instead of a"),
        ([{"type": "Webhook", "name": "a"}], "authorizers[0].webhook: Required value: required when type=Webhook"),
        (
            [{**RBAC, "webhook": {}}],
            'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
        ),
        ([{**RBAC, "other": 1}], 'strict decoding error: unknown field "authorizers[0].other"'),
    ],
)
def test_authorizers_are_validated(tmp_path: Path, authorizers: list[dict[str, Any]], error: str) -> None:
    assert _problem(_file(tmp_path, *authorizers)) == error


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"timeout": "0s"}, "timeout: Required value"),
        ({"timeout": "31s"}, 'timeout: Invalid value: "31s": must be > 0s and <= 30s'),
        ({"authorizedTTL": "-1s"}, 'authorizedTTL: Invalid value: "-1s": must be > 0s'),
        ({"subjectAccessReviewVersion": ""}, "subjectAccessReviewVersion: Required value"),
        ({"failurePolicy": "a"}, 'failurePolicy: Unsupported value: "a": supported values: "NoOpinion", "Deny"'),
        (
            {"connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": "a"}},
            'connectionInfo.kubeConfigFile: Invalid value: "a": must be an absolute path',
        ),
        (
            {"matchConditionSubjectAccessReviewVersion": "", "matchConditions": [{"expression": "true"}]},
            "matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified",
        ),
        ({"matchConditions": [{"expression": " "}]}, "matchConditions[0].expression: Required value"),
        (
            {"matchConditions": [{"expression": "request.user"}]},
            'matchConditions[0].expression: Invalid value: "request.user": must evaluate to bool but got string',
        ),
    ],
)
def test_webhooks_are_validated(tmp_path: Path, fields: dict[str, Any], error: str) -> None:
    (file := tmp_path / "kubeconfig").touch()
    assert _problem(_file(tmp_path, _webhook(file, **fields))) == f"authorizers[0].{error}"


def test_a_condition_may_not_use_unknown_fields(tmp_path: Path) -> None:
    (file := tmp_path / "kubeconfig").touch()
    webhook = _webhook(file, matchConditions=[{"expression": "request.name == 'a'"}])
    assert "undefined field 'name'" in _problem(_file(tmp_path, webhook))


def test_another_kind_is_refused(tmp_path: Path) -> None:
    problem = _problem(_file(tmp_path, RBAC, kind="Other"))
    assert problem == 'no kind "Other" is registered for version "apiserver.config.k8s.io/v1"'


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"timeout": "bad"}, 'time: invalid duration "bad"'),
        ({"timeout": ""}, 'time: invalid duration ""'),
        (
            {"connectionInfo": {"type": "Other"}},
            (
                'authorizers[0].connectionInfo.type: Unsupported value: {"Type":"Other","KubeConfigFile":null}: '
                'supported values: "InClusterConfig", "KubeConfigFile"'
            ),
        ),
    ],
)
def test_errors_of_webhooks_have_the_text_of_kubernetes(tmp_path: Path, fields: dict[str, Any], error: str) -> None:
    (file := tmp_path / "kubeconfig").touch()
    assert _problem(_file(tmp_path, _webhook(file, **fields))) == error


def test_times_of_zero_are_defaulted(tmp_path: Path) -> None:
    (file := tmp_path / "kubeconfig").touch()
    webhook = _webhook(file, authorizedTTL="0s", unauthorizedTTL="0s", cacheUnauthorizedRequests=None)
    found = read_authorization_configuration(_file(tmp_path, webhook))
    assert (found.webhooks[0].authorized_seconds, found.webhooks[0].unauthorized_seconds) == (300, 30)


def test_an_empty_file_has_no_authorizers(tmp_path: Path) -> None:
    (file := tmp_path / "authorization.yaml").touch()
    assert _problem(file) == "authorizers: Required value: at least one authorization mode must be defined"


@pytest.mark.parametrize(
    ("condition", "denies", "codes"),
    [
        ("request.resourceAttributes.namespace == 'default'", False, [403, 200]),
        ("request.groups.exists(group, group == 'dev')", False, [200, 200]),
        ("request.extra['team'][0] == 'a'", False, [200, 200]),
        ("request.extra['team'][0] == 'a'", True, [500, 500]),
        ("request.resourceAttributes.fieldSelector.requirements.size() > 0", False, [200, 200]),
    ],
)
def test_a_webhook_is_asked_if_its_conditions_are_met(
    tmp_path: Path, condition: str, denies: bool, codes: list[int]
) -> None:
    with reviewing(tmp_path, lambda spec: {"allowed": False, "denied": True}) as (_, kubeconfig):
        policy = "Deny" if denies else "NoOpinion"
        webhook = _webhook(kubeconfig, failurePolicy=policy, matchConditions=[{"expression": condition}])
        chosen = read_authorization_configuration(
            _file(tmp_path, webhook, {"type": "AlwaysAllow", "name": "alwaysallow"})
        )
        settings = Settings(authorizers=ConfiguredAuthorizers(chosen.modes, chosen.webhooks))
        with server_with(settings) as client:
            paths = ("/api/v1/namespaces/default/pods", "/api/v1/namespaces/kube-system/pods")
            assert [client.get(path, headers=as_user("alice")).status_code for path in paths] == codes
