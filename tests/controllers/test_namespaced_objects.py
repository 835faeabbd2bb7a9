import pytest

from tests.controllers.cluster import Cluster, running

ACCOUNT = ("serviceaccounts", "default")
ROOT_CA = ("configmaps", "kube-root-ca.crt")
WHAT = pytest.mark.parametrize(("controller", "what"), [("service-account", ACCOUNT), ("root-ca", ROOT_CA)])

pytestmark = pytest.mark.anyio


async def make_namespace(cluster: Cluster) -> None:
    await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})


@WHAT
async def test_namespaces_have_one_from_the_beginning(controller: str, what: tuple[str, str]) -> None:
    async with running(controller) as cluster:
        await make_namespace(cluster)
        for namespace in ("default", "kube-system", "team"):
            assert await cluster.get(*what, namespace) is not None


@WHAT
async def test_it_is_made_again(controller: str, what: tuple[str, str]) -> None:
    async with running(controller) as cluster:
        before = await cluster.get(*what)
        await cluster.delete(*what)
        after = await cluster.get(*what)
        assert before is not None
        assert after is not None
        assert before["metadata"]["uid"] != after["metadata"]["uid"]


@WHAT
async def test_a_terminating_namespace_gets_none(controller: str, what: tuple[str, str]) -> None:
    async with running(controller) as cluster:
        await make_namespace(cluster)
        await cluster.delete("namespaces", "team")
        await cluster.delete(*what, namespace="team")
        await cluster.clock.advance(60)
        assert await cluster.get(*what, "team") is None


async def test_root_certificates_that_somebody_changes_are_set_right() -> None:
    async with running("root-ca") as cluster:
        before = await cluster.get(*ROOT_CA)
        await cluster.change(*ROOT_CA, data={"ca.crt": "mine"}, metadata={"annotations": {}})
        after = await cluster.get(*ROOT_CA)
        assert before is not None
        assert after is not None
        assert after["data"] == before["data"]
        assert after["metadata"]["annotations"] == before["metadata"]["annotations"]


async def test_root_certificates_say_what_they_are_for() -> None:
    async with running("root-ca") as cluster:
        found = await cluster.get(*ROOT_CA)
        assert found is not None
        assert "CA bundle" in found["metadata"]["annotations"]["kubernetes.io/description"]
