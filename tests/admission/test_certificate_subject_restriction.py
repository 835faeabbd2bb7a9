import httpx
import pytest

from tests.apis.certificates.v1.certificatesigningrequests.requests import manifest, request_pem

ADDRESS = "/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All"
CLIENTS = "kubernetes.io/kube-apiserver-client"


def test_no_administrator_is_made_by_a_certificate(client: httpx.Client) -> None:
    answer = client.post(ADDRESS, json=manifest("one", request_pem("system:masters"), signerName=CLIENTS))
    assert answer.status_code == 403
    assert answer.json()["message"] == (
        'certificatesigningrequests.certificates.k8s.io "one" is forbidden: '
        "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed"
    )


@pytest.mark.parametrize(
    ("organization", "signer"), [("developers", CLIENTS), ("system:masters", "example.com/signer")]
)
def test_other_organizations_and_signers_are_free(client: httpx.Client, organization: str, signer: str) -> None:
    answer = client.post(ADDRESS, json=manifest("one", request_pem(organization), signerName=signer))
    assert answer.status_code == 201
