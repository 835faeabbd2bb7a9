"""The rights that approving and signing CertificateSigningRequests need."""

from base64 import b64encode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.auth.users import RBAC, SELECT_ALICE, Users

_CERTIFICATES = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
_GROUP = "rbac.authorization.k8s.io"
_CONDITION = {"type": "Approved", "status": "True", "reason": "Test", "message": "approved"}


def _request(users: Users, name: str, signer: str) -> dict[str, object]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "someone")])
    signed = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    request = b64encode(signed.public_bytes(serialization.Encoding.PEM)).decode()
    spec = {"request": request, "signerName": signer, "usages": ["client auth"]}
    made: dict[str, object] = users.admin("POST", _CERTIFICATES, {"metadata": {"name": name}, "spec": spec}).json()
    return made


@pytest.fixture(scope="module", autouse=True)
def alice_may_approve(users: Users) -> None:
    """Let alice approve requests of one signer and of all signers of one domain."""
    parts = ["certificatesigningrequests/approval", "certificatesigningrequests/status"]
    signers = {"resources": ["signers"], "resourceNames": ["example.com/one", "example.org/*"], "verbs": ["approve"]}
    groups = {"apiGroups": ["certificates.k8s.io"]}
    rules = [{**groups, "resources": parts, "verbs": ["update"]}, {**groups, **signers}]
    users.admin("POST", f"{RBAC}/clusterroles", {"metadata": {"name": "approver"}, "rules": rules})
    reference = {"kind": "ClusterRole", "name": "approver", "apiGroup": _GROUP}
    binding = {"metadata": {"name": "approver"}, "roleRef": reference, "subjects": [SELECT_ALICE]}
    users.admin("POST", f"{RBAC}/clusterrolebindings", binding)


@pytest.mark.parametrize(
    ("signer", "code"), [("example.com/one", 200), ("example.org/any", 200), ("example.com/other", 403)]
)
def test_approval_needs_the_right_for_the_signer(users: Users, signer: str, code: int) -> None:
    name = signer.replace("/", "-")
    request = _request(users, name, signer) | {"status": {"conditions": [_CONDITION]}}
    answer = users.send("alice", "PUT", f"{_CERTIFICATES}/{name}/approval", request)
    assert answer.status_code == code
    if code == 403:
        assert answer.json()["message"].endswith(f'user not permitted to approve requests with signerName "{signer}"')


def test_signing_needs_the_right_to_sign(users: Users) -> None:
    failed = {**_CONDITION, "type": "Failed"}
    request = _request(users, "signed", "example.com/one") | {"status": {"conditions": [failed]}}
    answer = users.send("alice", "PUT", f"{_CERTIFICATES}/signed/status", request)
    assert answer.json()["message"].endswith('user not permitted to sign requests with signerName "example.com/one"')
