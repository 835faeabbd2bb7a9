import json
import re
from collections.abc import Iterator

import pytest

from tests.apis.certificates.v1.certificatesigningrequests.requests import manifest
from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl


@pytest.fixture
def asked(kubectl: Kubectl) -> Iterator[str]:
    """The name of a new CertificateSigningRequest for a certificate that is valid for a day."""
    header = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
    body = {**header, **manifest(kubectl.namespace, expirationSeconds=86400)}
    kubectl("create", "-f", "-", stdin=json.dumps(body))
    yield kubectl.namespace
    kubectl("delete", "csr", kubectl.namespace)


def condition(kubectl: Kubectl, name: str) -> list[str]:
    row = kubectl("get", "csr", name, "--no-headers").split()
    assert [row[0], *row[2:5]] == [name, "example.com/signer", "system:anonymous", "24h"]
    return row[5:]


def test_a_request_is_approved(kubectl: Kubectl, asked: str) -> None:
    assert condition(kubectl, asked) == ["Pending"]
    printed = kubectl("certificate", "approve", asked)
    assert printed == f"certificatesigningrequest.certificates.k8s.io/{asked} approved\n"
    assert condition(kubectl, asked) == ["Approved"]


def test_a_denied_request_is_not_approved_any_more(kubectl: Kubectl, asked: str) -> None:
    kubectl("certificate", "deny", asked)
    assert condition(kubectl, asked) == ["Denied"]
    done = kubectl.run("certificate", "approve", asked)
    assert done.returncode == 1
    assert done.stderr == f'error: certificate signing request "{asked}" is already Denied\n'


def test_describe_reads_the_request(kubectl: Kubectl, asked: str) -> None:
    printed = kubectl("describe", "csr", asked)
    assert re.search("Requesting User: +system:anonymous\n", printed)
    assert "Common Name:    alice\n" in printed
    assert "Organization:   developers\n" in printed
