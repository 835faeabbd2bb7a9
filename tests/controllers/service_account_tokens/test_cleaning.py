from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memkube.apis.authentication.v1.tokens.legacy import INVALID_SINCE, LAST_USED
from memkube.server.bootstrap.standing import create_token_tracking
from tests.controllers.cluster import CONTAINERS, Cluster, running
from tests.controllers.service_account_tokens.token_secrets import create_account, create_secret, secret, token_options

pytestmark = pytest.mark.anyio
DAY = 86400


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    """A cluster with the account robot, which lists the token Secret tok."""
    async with running("legacy-serviceaccount-token-cleaner-controller", tokens=token_options(tmp_path)) as cluster:
        await create_token_tracking(cluster.registry)
        await create_account(cluster, "tok")
        await create_secret(cluster)
        yield cluster


async def invalid_since(cluster: Cluster) -> str | None:
    labels = (await secret(cluster))["metadata"].get("labels") or {}
    found: str | None = labels.get(INVALID_SINCE)
    return found


async def test_a_token_that_was_not_used_for_a_year_is_marked_and_deleted_a_year_later(cluster: Cluster) -> None:
    await cluster.clock.advance(364 * DAY)
    assert await invalid_since(cluster) is None
    await cluster.clock.advance(3 * DAY)
    assert await invalid_since(cluster) is not None
    await cluster.clock.advance(364 * DAY)
    assert await cluster.get("secrets", "tok") is not None
    await cluster.clock.advance(4 * DAY)
    assert await cluster.get("secrets", "tok") is None


@pytest.mark.parametrize(("age", "is_kept"), [(timedelta(days=10), True), (timedelta(days=370), False)])
async def test_a_token_that_was_used_in_the_last_year_is_kept(cluster: Cluster, age: timedelta, is_kept: bool) -> None:
    await cluster.clock.advance(366 * DAY)
    used = (cluster.clock.now() - age).date().isoformat()
    await cluster.change("secrets", "tok", metadata={"labels": {LAST_USED: used}})
    await cluster.clock.advance(2 * DAY)
    assert (await invalid_since(cluster) is None) == is_kept


async def test_a_token_with_a_malformed_date_of_use_is_kept(cluster: Cluster) -> None:
    await cluster.change("secrets", "tok", metadata={"labels": {LAST_USED: "2006-1-2"}})
    await cluster.clock.advance(370 * DAY)
    assert await invalid_since(cluster) is None


async def test_a_token_that_the_account_does_not_list_is_kept(cluster: Cluster) -> None:
    await cluster.change("serviceaccounts", "robot", secrets=[])
    await cluster.clock.advance(370 * DAY)
    assert await invalid_since(cluster) is None


async def test_a_token_that_a_pod_mounts_is_kept(cluster: Cluster) -> None:
    volumes = [{"name": "token", "secret": {"secretName": "tok"}}]
    spec = {"containers": CONTAINERS, "volumes": volumes}
    await cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "uses"}, "spec": spec})
    await cluster.clock.advance(370 * DAY)
    assert await invalid_since(cluster) is None


async def test_tokens_are_kept_while_the_start_of_tracking_is_unknown(cluster: Cluster) -> None:
    name = "kube-apiserver-legacy-service-account-token-tracking"
    await cluster.delete("configmaps", name, namespace="kube-system")
    await cluster.clock.advance(370 * DAY)
    assert await invalid_since(cluster) is None
