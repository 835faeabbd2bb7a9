from collections.abc import AsyncIterator
from pathlib import Path

import jwt
import pytest

from tests.controllers.cluster import Cluster, running
from tests.controllers.service_account_tokens.token_secrets import (
    NAME,
    UID,
    create_account,
    create_secret,
    data_of,
    secret,
    token_options,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with running("serviceaccount-token-controller", tokens=token_options(tmp_path)) as cluster:
        yield cluster


async def test_a_token_secret_gets_token_certificate_and_namespace(cluster: Cluster) -> None:
    uid = await create_account(cluster)
    await create_secret(cluster)
    found = await data_of(cluster)
    assert (found["ca.crt"], found["namespace"]) == ("", "default")
    assert jwt.decode(found["token"], options={"verify_signature": False}) == {
        "iss": "kubernetes/serviceaccount",
        "sub": "system:serviceaccount:default:robot",
        "kubernetes.io/serviceaccount/namespace": "default",
        "kubernetes.io/serviceaccount/secret.name": "tok",
        "kubernetes.io/serviceaccount/service-account.name": "robot",
        "kubernetes.io/serviceaccount/service-account.uid": uid,
    }
    assert (await secret(cluster))["metadata"]["annotations"] == {NAME: "robot", UID: uid}


async def test_other_data_and_a_given_namespace_stay(cluster: Cluster) -> None:
    await create_account(cluster)
    await create_secret(cluster, data={"mine": "x", "namespace": "other"})
    found = await data_of(cluster)
    assert (found["mine"], found["namespace"]) == ("x", "other")
    assert found["token"]


async def test_data_that_was_removed_comes_again(cluster: Cluster) -> None:
    await create_account(cluster)
    await create_secret(cluster)
    await cluster.change("secrets", "tok", data={})
    found = await data_of(cluster)
    assert found.keys() == {"ca.crt", "namespace", "token"}
    assert found["token"]


@pytest.mark.parametrize("uid", ["", "11111111-2222-4333-8444-555555555555"])
async def test_a_token_secret_without_its_account_is_deleted(cluster: Cluster, uid: str) -> None:
    if uid:
        await create_account(cluster)
    await create_secret(cluster, uid=uid)
    assert await cluster.get("secrets", "tok") is None


async def test_a_token_secret_of_an_account_that_comes_later_is_deleted(cluster: Cluster) -> None:
    await create_secret(cluster)
    await create_account(cluster)
    assert await cluster.get("secrets", "tok") is None


async def test_tokens_go_with_their_account_and_other_secrets_stay(cluster: Cluster) -> None:
    await create_account(cluster)
    for name in ("tok", "tok2"):
        await create_secret(cluster, name)
    plain = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "plain", "annotations": {NAME: "robot"}}}
    await cluster.create(plain)
    await cluster.delete("serviceaccounts", "robot")
    assert [await cluster.get("secrets", name) is None for name in ("tok", "tok2", "plain")] == [True, True, False]


async def test_a_deleted_secret_is_removed_from_its_account(cluster: Cluster) -> None:
    await create_account(cluster, "tok", "other")
    await create_secret(cluster)
    await cluster.delete("secrets", "tok")
    account = await cluster.get("serviceaccounts", "robot")
    assert account is not None
    assert account["secrets"] == [{"name": "other"}]


async def test_an_immutable_secret_without_a_token_is_given_up(cluster: Cluster) -> None:
    await create_account(cluster)
    kind = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token", "immutable": True}
    await cluster.create({**kind, "metadata": {"name": "tok", "annotations": {NAME: "robot"}}})
    await cluster.clock.advance(3600)
    assert await data_of(cluster) == {}
    assert cluster.clock.timers == 0
