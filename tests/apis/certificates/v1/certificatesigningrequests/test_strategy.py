from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.apis.certificates.v1.certificatesigningrequests.requests import certificate_pem, manifest

ADDRESS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
MERGE = {"content-type": "application/merge-patch+json"}


@pytest.fixture
def asked(client: httpx.Client) -> Iterator[str]:
    """The URL path of a new CertificateSigningRequest."""
    name = f"test-{uuid4().hex[:10]}"
    client.post(ADDRESS, json=manifest(name)).raise_for_status()
    yield f"{ADDRESS}/{name}"
    client.delete(f"{ADDRESS}/{name}")


def patched(client: httpx.Client, address: str, status: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = client.patch(address, json={"status": status}, headers=MERGE).json()
    return answer


def test_it_is_written_down_who_asks(client: httpx.Client) -> None:
    headers = {
        "impersonate-user": "alice",
        "impersonate-uid": "7",
        "impersonate-group": "developers",
        "impersonate-extra-scopes": "read",
    }
    name = f"test-{uuid4().hex[:10]}"
    sent = manifest(name, username="root", uid="0", groups=["system:masters"], extra={"a": ["b"]})
    spec = client.post(ADDRESS, params={"dryRun": "All"}, json=sent, headers=headers).json()["spec"]
    assert (spec["username"], spec["uid"], spec["extra"]) == ("alice", "7", {"scopes": ["read"]})
    assert spec["groups"] == ["developers", "system:authenticated"]


def test_a_certificate_is_issued_once(client: httpx.Client, asked: str) -> None:
    first, second = (b64encode(certificate_pem()).decode() for _ in range(2))
    assert patched(client, f"{asked}/status", {"certificate": first})["status"]["certificate"] == first
    refusal = patched(client, f"{asked}/status", {"certificate": second})
    assert refusal["details"]["causes"] == [
        {
            "reason": "FieldValueForbidden",
            "message": "Forbidden: updates may not modify existing certificate content",
            "field": "status.certificate",
        }
    ]


def test_what_is_no_certificate_is_not_issued(client: httpx.Client, asked: str) -> None:
    refusal = patched(client, f"{asked}/status", {"certificate": b64encode(b"x").decode()})
    assert refusal["message"].endswith(
        'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'
    )


def test_a_signer_cannot_change_an_approval(client: httpx.Client, asked: str) -> None:
    approved = {"type": "Approved", "status": "True", "reason": "Good"}
    kept = patched(client, f"{asked}/approval", {"conditions": [approved]})["status"]["conditions"]
    changed = [{**approved, "reason": "Bad"}, {"type": "Failed", "status": "True"}]
    conditions = patched(client, f"{asked}/status", {"conditions": changed})["status"]["conditions"]
    assert conditions[:1] == kept
    assert [condition["type"] for condition in conditions] == ["Approved", "Failed"]


def test_an_approver_cannot_issue(client: httpx.Client, asked: str) -> None:
    certificate = b64encode(certificate_pem()).decode()
    assert patched(client, f"{asked}/approval", {"certificate": certificate})["status"] == {}


def test_a_condition_that_stays_true_keeps_the_time_of_its_transition(client: httpx.Client, asked: str) -> None:
    then = "2020-01-01T00:00:00Z"
    condition = {"type": "Odd", "status": "True", "lastTransitionTime": then, "lastUpdateTime": then}
    patched(client, f"{asked}/status", {"conditions": [condition]})
    del condition["lastTransitionTime"]
    [kept] = patched(client, f"{asked}/status", {"conditions": [condition]})["status"]["conditions"]
    assert kept["lastTransitionTime"] == then
    [turned] = patched(client, f"{asked}/status", {"conditions": [{**condition, "status": "False"}]})["status"][
        "conditions"
    ]
    assert turned["lastTransitionTime"] > then
    assert turned["lastUpdateTime"] == then


def test_an_approval_is_no_table(client: httpx.Client, asked: str) -> None:
    headers = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    assert client.get(f"{asked}/approval", headers=headers).status_code == 406
    assert client.get(f"{asked}/status", headers=headers).json()["kind"] == "Table"
