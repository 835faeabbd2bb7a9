import pytest

from tests.controllers.certificates.signing_requests import (
    CLIENT,
    DNS,
    KUBELET_CLIENT,
    KUBELET_SERVING,
    conditions,
    create,
    node_pem,
    request_pem,
)
from tests.controllers.cluster import running

pytestmark = pytest.mark.anyio
CONTROLLER = "certificatesigningrequest-approving-controller"
USAGES = ("digital signature", "client auth")


@pytest.mark.parametrize(
    ("user", "message"),
    [
        ("system:bootstrap:abc", "Auto approving kubelet client certificate after SubjectAccessReview."),
        ("system:node:n1", "Auto approving self kubelet client certificate after SubjectAccessReview."),
    ],
)
async def test_a_kubelets_request_for_a_client_certificate_is_approved(user: str, message: str) -> None:
    async with running(CONTROLLER) as cluster:
        await create(cluster, node_pem(), KUBELET_CLIENT, USAGES, user=user)
        assert await conditions(cluster) == [("Approved", message)]


@pytest.mark.parametrize(
    ("pem", "signer", "usages"),
    [
        (request_pem(), CLIENT, ("client auth",)),
        (request_pem(), KUBELET_CLIENT, USAGES),
        (node_pem(), KUBELET_CLIENT, ("client auth", "server auth")),
        (node_pem(DNS), KUBELET_CLIENT, USAGES),
        (node_pem(DNS), KUBELET_SERVING, ("digital signature", "server auth")),
    ],
)
async def test_other_requests_wait_for_a_decision(pem: bytes, signer: str, usages: tuple[str, ...]) -> None:
    async with running(CONTROLLER) as cluster:
        await create(cluster, pem, signer, usages)
        assert await conditions(cluster) == []
