from typing import Any

import pytest

from memkube.apimachinery.time import Time
from memkube.apis.apiregistration.v1.apiservices.columns import PRINTER
from memkube.apis.apiregistration.v1.apiservices.strategy import (
    APIServiceStatusStrategy,
    APIServiceStrategy,
    validate_api_service,
    validate_api_service_status_update,
)
from memkube.apis.apiregistration.v1.apiservices.types import APIService

_NOW = Time("2026-01-01T00:00:00Z")
_SERVICE = {"namespace": "default", "name": "metrics", "port": 443}


def _api_service(name: str = "v1.example.com", **spec: Any) -> APIService:
    spec = {"group": "example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10, **spec}
    return APIService.from_document({"metadata": {"name": name, "resourceVersion": "1"}, "spec": spec})


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"name": "x"}, 'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.example.com"'),
        (
            {"name": "v2.", "version": "v2", "group": ""},
            "spec.group: Required value: only v1 may have an empty group and it better be legacy kube",
        ),
        (
            {"groupPriorityMinimum": 20001},
            "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
        ),
        ({"versionPriority": 0}, "spec.versionPriority: Invalid value: 0: must be positive and less than 1000"),
        ({"caBundle": "Zm9v"}, 'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle'),
        ({"service": {**_SERVICE, "name": ""}}, "spec.service.name: Required value"),
        (
            {"service": {**_SERVICE, "port": 0}},
            "spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
        ),
        (
            {"service": _SERVICE, "caBundle": "Zm9v", "insecureSkipTLSVerify": True},
            "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
        ),
    ],
)
def test_a_version_is_told_completely(fields: dict[str, Any], error: str) -> None:
    assert [str(found) for found in validate_api_service(_api_service(**fields))] == [error]


@pytest.mark.parametrize(("group_priority", "version_priority"), [(1, 1), (20_000, 1_000)])
def test_priorities_may_be_as_low_and_as_high_as_that(group_priority: int, version_priority: int) -> None:
    api_service = _api_service(groupPriorityMinimum=group_priority, versionPriority=version_priority)
    assert validate_api_service(api_service) == []


def test_what_the_server_serves_itself_is_available_at_once() -> None:
    local, remote = _api_service(), _api_service(service=_SERVICE)
    for api_service in (local, remote):
        APIServiceStrategy().prepare_for_create(api_service, _NOW)
    assert [(c.status, c.reason, c.lastTransitionTime) for c in local.status.conditions] == [("True", "Local", _NOW)]
    assert remote.status.conditions == []


def test_services_are_asked_at_443() -> None:
    remote = _api_service(service={"namespace": "default", "name": "metrics"})
    APIServiceStrategy().default(remote)
    assert remote.spec.service is not None
    assert remote.spec.service.port == 443


def test_a_status_changes_neither_spec_nor_metadata() -> None:
    old, new = _api_service(), _api_service(versionPriority=99)
    new.metadata.labels = {"a": "b"}
    new.metadata.finalizers = ["example.com/x"]
    APIServiceStatusStrategy().prepare_for_update(new, old)
    assert new == old


def test_conditions_have_a_status_that_there_is() -> None:
    new = _api_service()
    wrong = {"conditions": [{"type": "Available", "status": "Maybe", "lastTransitionTime": None}]}
    new.status = type(new.status).from_document(wrong)
    [error] = validate_api_service_status_update(new, _api_service())
    assert str(error).startswith('status.conditions[0].status: Unsupported value: "Maybe": supported values: "True"')


@pytest.mark.parametrize(
    ("conditions", "shown"),
    [
        ([], "Unknown"),
        ([{"type": "Available", "status": "True", "reason": "Passed"}], "True"),
        ([{"type": "Available", "status": "False", "reason": "ServiceNotFound"}], "False (ServiceNotFound)"),
        ([{"type": "Available", "status": "False"}], "False"),
    ],
)
def test_a_row_tells_why_it_cannot_be_had(conditions: list[dict[str, str]], shown: str) -> None:
    document = _api_service(service=_SERVICE).to_document()
    document["status"] = {"conditions": conditions}
    assert PRINTER.row(document).cells[1:3] == ["default/metrics", shown]
