from typing import Any

import httpx
import pytest

from memkube.apis.resource.v1.resourceclaims.columns import PRINTER
from memkube.apis.resource.v1.resourceclaims.status_validation import validate_status
from memkube.apis.resource.v1.resourceclaims.strategy import ResourceClaimStatusStrategy
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaim

SHARE = "0123abcd-0123-4123-8123-0123456789ab"
REQUEST = {"name": "gpu", "exactly": {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}}
POD = {"resource": "pods", "name": "p", "uid": "u1"}
OTHER_POD = {"resource": "pods", "name": "q", "uid": "u2"}


def device(name: str = "d0", **fields: Any) -> dict[str, Any]:
    return {"driver": "gpu.example.com", "pool": "p", "device": name, **fields}


def allocated(*devices: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"devices": {"results": [{"request": "gpu", **each} for each in devices], **fields}}


def claim(status: dict[str, Any], **metadata: Any) -> ResourceClaim:
    document = {"metadata": {"name": "a", **metadata}, "spec": {"devices": {"requests": [REQUEST]}}, "status": status}
    return ResourceClaim.from_document(document)


def errors_of(new: ResourceClaim, old: ResourceClaim) -> list[str]:
    return [str(error).removeprefix("status.") for error in validate_status(new, old)]


def test_a_terminating_claim_takes_no_new_users() -> None:
    time = "2026-01-01T00:00:00Z"
    old = claim({"allocation": allocated(device()), "reservedFor": [POD]}, deletionTimestamp=time)
    new = claim({"allocation": allocated(device()), "reservedFor": [POD, OTHER_POD]}, deletionTimestamp=time)
    assert errors_of(new, old) == [
        (
            "reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or "
            "`deletionTimestamp` are set"
        )
    ]
    assert errors_of(old, new) == []


def test_shares_of_a_device_are_devices_of_their_own() -> None:
    status = {"allocation": allocated(device(shareID=SHARE)), "devices": [device(), device(shareID=SHARE)]}
    assert errors_of(claim(status), claim({})) == [
        (
            'devices[0]: Invalid value: {"Driver":"gpu.example.com","Pool":"p","Device":"d0","ShareID":""}: '
            "must be an allocated device in the claim"
        )
    ]


def test_a_device_has_one_status() -> None:
    status = {"allocation": allocated(device()), "devices": [device(), device()]}
    assert errors_of(claim(status), claim({})) == [
        'devices[1]: Duplicate value: {"Driver":"gpu.example.com","Pool":"p","Device":"d0","ShareID":""}'
    ]


@pytest.mark.parametrize(
    ("address", "canonical"),
    [
        ("10.9.8.7/24", None),
        ("2001:db8::1/64", None),
        ("2001:DB8::1/64", "2001:db8::1/64"),
        ("010.009.008.007/24", "10.9.8.7/24"),
        ("::ffff:10.9.8.7/120", "10.9.8.7/24"),
        ("::ffff:10.9.8.7/24", "10.9.8.7/24"),
    ],
)
def test_addresses_of_interfaces_are_written_as_usual(address: str, canonical: str | None) -> None:
    status = {"allocation": allocated(device()), "devices": [device(networkData={"ips": [address]})]}
    path = "devices[0].networkData.ips[0]"
    expected = [f'{path}: Invalid value: "{address}": must be in canonical form ("{canonical}")']
    assert errors_of(claim(status), claim({})) == ([] if canonical is None else expected)


def test_configurations_tell_where_they_come_from() -> None:
    opaque = {"driver": "d", "parameters": {}}
    config = [{"opaque": opaque}, {"source": "Odd", "opaque": opaque}, {"source": "FromClass"}]
    assert errors_of(claim({"allocation": allocated(device(), config=config)}), claim({})) == [
        "allocation.devices.config[0].source: Required value",
        'allocation.devices.config[1].source: Unsupported value: "Odd": supported values: "FromClaim", "FromClass"',
        "allocation.devices.config[2].opaque: Required value",
    ]


def test_what_was_told_of_devices_goes_with_them() -> None:
    old = claim({"allocation": allocated(device("a"), device("b")), "devices": [device("a"), device("b")]})
    new = claim({"devices": [device("a"), device("b"), device("never")]})
    ResourceClaimStatusStrategy().prepare_for_update(new, old)
    assert [each.device for each in new.status.devices] == ["never"]


def test_a_status_update_keeps_labels_and_finalizers() -> None:
    old = claim({}, labels={"a": "b"}, finalizers=["example.com/x"])
    new = claim({}, labels={"a": "c"})
    ResourceClaimStatusStrategy().prepare_for_update(new, old)
    assert (new.metadata.labels, new.metadata.finalizers) == ({"a": "b"}, ["example.com/x"])


@pytest.mark.parametrize(
    ("metadata", "status", "state"),
    [
        ({}, {}, "pending"),
        ({}, {"allocation": {}}, "allocated"),
        ({}, {"allocation": {}, "reservedFor": [POD]}, "allocated,reserved"),
        ({"deletionTimestamp": "2026-01-01T00:00:00Z"}, {}, "deleted"),
        ({"deletionTimestamp": "2026-01-01T00:00:00Z"}, {"allocation": {}}, "deleted,allocated"),
    ],
)
def test_states_are_shown_together(metadata: dict[str, str], status: dict[str, Any], state: str) -> None:
    assert PRINTER.row({"metadata": {"name": "a", **metadata}, "status": status}).cells[1] == state


def test_devices_in_use_are_given_only_where_the_namespace_allows_it(client: httpx.Client, namespace: str) -> None:
    path = f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims"
    spec = {"devices": {"requests": [REQUEST]}}
    client.post(path, json={"metadata": {"name": "a"}, "spec": spec}).raise_for_status()
    given = {"status": {"allocation": allocated(device(adminAccess=True, pool="P"))}}
    merge = {"Content-Type": "application/merge-patch+json"}
    refused = client.patch(f"{path}/a/status", json=given, headers=merge)
    assert refused.status_code == 422
    assert [cause["field"] for cause in refused.json()["details"]["causes"]] == [
        "status.allocation.devices.results[0].adminAccess",
        "status.allocation.devices.results[0].pool",
    ]
    label = {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}}
    client.patch(f"/api/v1/namespaces/{namespace}", json=label, headers=merge).raise_for_status()
    given = {"status": {"allocation": allocated(device(adminAccess=True))}}
    assert client.patch(f"{path}/a/status", json=given, headers=merge).status_code == 200


def test_a_claim_that_asks_for_devices_in_use_is_told_all_that_is_wrong(client: httpx.Client, namespace: str) -> None:
    path = f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaimtemplates"
    requests = [{"name": "A", "exactly": {"deviceClassName": "c", "adminAccess": True}}]
    body = {"metadata": {"name": "a"}, "spec": {"spec": {"devices": {"requests": requests}}}}
    answer = client.post(path, json=body)
    assert [cause["field"] for cause in answer.json()["details"]["causes"]] == [
        "spec.devices.requests[0].adminAccess",
        "spec.spec.devices.requests[0].name",
    ]
