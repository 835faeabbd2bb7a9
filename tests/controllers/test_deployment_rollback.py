import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, running
from tests.controllers.workloads import TEMPLATE, listed, reports, workload

CONTROLLERS = ("deployment", "replicaset")
ROLLBACK_TO = "deprecated.deployment.rollback.to"
REVISION = "deployment.kubernetes.io/revision"

pytestmark = pytest.mark.anyio


def template(version: str) -> Document:
    return {**TEMPLATE, "metadata": {"labels": {"app": "web", "version": version}}}


async def deployment(cluster: Cluster) -> Document:
    found = await cluster.get("deployments", "web")
    assert found is not None
    return found


async def annotate(cluster: Cluster, **annotations: str) -> None:
    present = (await deployment(cluster))["metadata"].get("annotations") or {}
    await cluster.change("deployments", "web", metadata={"annotations": {**present, **annotations}})


async def roll_out(cluster: Cluster, *versions: str) -> None:
    """Create a Deployment, and give it one template after another, each with its own annotation."""
    await cluster.create(workload("Deployment", 1, template=template(versions[0])))
    await annotate(cluster, cause=versions[0])
    for version in versions[1:]:
        await cluster.clock.advance(1)
        await cluster.change("deployments", "web", spec=workload("Deployment", 1, template=template(version))["spec"])
        await annotate(cluster, cause=version)


@pytest.mark.parametrize(("revision", "version"), [("1", "a"), ("2", "b"), ("0", "b"), ("+2", "b")])
async def test_a_rollback_restores_the_template_and_the_annotations(revision: str, version: str) -> None:
    async with running(*CONTROLLERS) as cluster:
        await roll_out(cluster, "a", "b", "c")
        await annotate(cluster, **{ROLLBACK_TO: revision})
        found = await deployment(cluster)
        assert found["spec"]["template"]["metadata"]["labels"] == {"app": "web", "version": version}
        assert found["metadata"]["annotations"] == {"cause": version, REVISION: "4"}
        number = "1" if version == "a" else "2"
        assert await reports(cluster, "DeploymentRollback") == [f'Rolled back deployment "web" to revision {number}']


@pytest.mark.parametrize(
    ("revision", "reason", "message"),
    [
        ("7", "DeploymentRollbackRevisionNotFound", "Unable to find the revision to rollback to."),
        (
            "2",
            "DeploymentRollbackTemplateUnchanged",
            'The rollback revision contains the same template as current deployment "web"',
        ),
    ],
)
async def test_a_rollback_that_changes_nothing_is_reported(revision: str, reason: str, message: str) -> None:
    async with running(*CONTROLLERS) as cluster:
        await roll_out(cluster, "a", "b")
        await annotate(cluster, **{ROLLBACK_TO: revision})
        assert ROLLBACK_TO not in (await deployment(cluster))["metadata"]["annotations"]
        assert await reports(cluster, reason) == [message]


async def test_the_first_revision_has_no_previous_one() -> None:
    async with running(*CONTROLLERS) as cluster:
        await roll_out(cluster, "a")
        await annotate(cluster, **{ROLLBACK_TO: "0"})
        assert await reports(cluster, "DeploymentRollbackRevisionNotFound") == ["Unable to find last revision."]


async def test_a_paused_deployment_is_not_rolled_back() -> None:
    async with running(*CONTROLLERS) as cluster:
        await roll_out(cluster, "a", "b")
        spec = (await deployment(cluster))["spec"]
        await cluster.change("deployments", "web", spec={**spec, "paused": True})
        await annotate(cluster, **{ROLLBACK_TO: "1"})
        assert (await deployment(cluster))["metadata"]["annotations"][ROLLBACK_TO] == "1"
        assert len(await listed(cluster, "replicasets")) == 2
