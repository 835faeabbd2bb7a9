from base64 import b64encode
from datetime import timedelta
from typing import Any

import pytest

from memkube.controllers.bootstrap_tokens.signing import detached_signature
from tests.controllers.cluster import Cluster, running

pytestmark = pytest.mark.anyio
SIGNER, CLEANER = "bootstrap-signer-controller", "token-cleaner-controller"
TOKEN = {"token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true"}
SIGNATURE = "jws-kubeconfig-abcdef"


async def create_token(cluster: Cluster, name: str = "bootstrap-token-abcdef", **data: str) -> None:
    encoded = {key: b64encode(value.encode()).decode() for key, value in {**TOKEN, **data}.items()}
    kind = {"apiVersion": "v1", "kind": "Secret", "type": "bootstrap.kubernetes.io/token"}
    await cluster.create({**kind, "metadata": {"name": name}, "data": encoded}, "kube-system")


async def create_cluster_info(cluster: Cluster, **data: str) -> None:
    kind = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info"}}
    await cluster.create({**kind, "data": {"kubeconfig": "payload", **data}}, "kube-public")


async def signed(cluster: Cluster) -> dict[str, Any]:
    """Return the data of the ConfigMap ``cluster-info``, which contains signatures."""
    found = await cluster.get("configmaps", "cluster-info", "kube-public")
    assert found is not None
    data: dict[str, Any] = found["data"]
    return data


def test_a_signature_is_that_of_the_reference() -> None:
    # The values are from an example in k8s.io/cluster-bootstrap/token/jws.
    signature = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8"
    content = "Hello from the other side. I must have called a thousand times."
    assert detached_signature(content, "joshua", "my voice is my passcode") == signature


async def test_the_cluster_info_is_signed_with_each_token() -> None:
    async with running(SIGNER) as cluster:
        await create_cluster_info(cluster)
        await create_token(cluster)
        assert (await signed(cluster))[SIGNATURE] == detached_signature("payload", "abcdef", "0123456789abcdef")


async def test_signatures_follow_the_content_and_the_tokens() -> None:
    async with running(SIGNER) as cluster:
        await create_token(cluster)
        await create_cluster_info(cluster, **{"jws-kubeconfig-gone00": "old"})
        before = await signed(cluster)
        assert before.keys() == {"kubeconfig", SIGNATURE}
        await cluster.change("configmaps", "cluster-info", "kube-public", data={**before, "kubeconfig": "other"})
        assert (await signed(cluster))[SIGNATURE] != before[SIGNATURE]
        await cluster.delete("secrets", "bootstrap-token-abcdef", namespace="kube-system")
        assert (await signed(cluster)).keys() == {"kubeconfig"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bootstrap-token-abcdefg", {}),
        ("bootstrap-token-ghijkl", {}),
        ("bootstrap-token-abcdef", {"token-secret": ""}),
        ("bootstrap-token-abcdef", {"usage-bootstrap-signing": "yes"}),
        ("bootstrap-token-abcdef", {"expiration": "2020-01-01T00:00:00Z"}),
        ("bootstrap-token-abcdef", {"expiration": "soon"}),
    ],
)
async def test_other_tokens_do_not_sign(name: str, data: dict[str, str]) -> None:
    async with running(SIGNER) as cluster:
        await create_cluster_info(cluster)
        await create_token(cluster, name, **data)
        assert (await signed(cluster)).keys() == {"kubeconfig"}


async def test_a_token_is_deleted_when_it_expires() -> None:
    async with running(CLEANER) as cluster:
        expiration = (cluster.clock.now() + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
        await create_token(cluster, expiration=expiration)
        await cluster.clock.advance(299)
        assert await cluster.get("secrets", "bootstrap-token-abcdef", "kube-system") is not None
        await cluster.clock.advance(1)
        assert await cluster.get("secrets", "bootstrap-token-abcdef", "kube-system") is None


@pytest.mark.parametrize(("expiration", "is_kept"), [("", True), ("soon", False)])
async def test_a_token_without_an_expiration_is_kept_and_one_with_a_malformed_one_is_deleted(
    expiration: str, is_kept: bool
) -> None:
    async with running(CLEANER) as cluster:
        await create_token(cluster, expiration=expiration)
        assert (await cluster.get("secrets", "bootstrap-token-abcdef", "kube-system") is not None) == is_kept
