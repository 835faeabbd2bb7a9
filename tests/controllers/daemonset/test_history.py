import json

import pytest

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject
from tests.controllers.cluster import Cluster, running
from tests.controllers.daemonset.daemon_sets import CONTROLLER, REVISION, daemon_set, serve, template, update
from tests.controllers.workloads import listed, names, status

pytestmark = pytest.mark.anyio


async def numbers(cluster: Cluster) -> dict[str, int]:
    """Return the numbers of the revisions by the versions of their templates."""
    revisions = await listed(cluster, "controllerrevisions")
    return {revision.labels["version"]: revision.document["revision"] for revision in revisions}


async def first_revision(cluster: Cluster) -> StoredObject:
    [revision] = await listed(cluster, "controllerrevisions")
    return revision


def revision(name: str, like: StoredObject, **fields: Document) -> Document:
    """Return a revision without a controller, by default with the template of another one."""
    labels = {"app": "web", "version": "1"}
    head = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": name, "labels": labels}}
    return {**head, "data": like.document["data"], "revision": 5, **fields}


async def test_each_template_gets_a_numbered_revision() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        await update(cluster)
        assert await numbers(cluster) == {"1": 1, "2": 2}
        await update(cluster, template=template("1"))
        assert await numbers(cluster) == {"1": 3, "2": 2}


async def test_a_revision_restores_the_template() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        document = await cluster.get("daemonsets", "web")
        assert document is not None
        restored = {"$patch": "replace", **document["spec"]["template"]}
        assert (await first_revision(cluster)).document["data"] == {"spec": {"template": restored}}


async def test_the_keys_in_the_data_of_a_revision_are_sorted_as_kubectl_expects() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        data = (await first_revision(cluster)).document["data"]
        assert json.dumps(data) == json.dumps(data, sort_keys=True)


async def test_old_revisions_beyond_the_limit_are_deleted_unless_pods_have_them() -> None:
    strategy = {"type": "OnDelete"}
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1, updateStrategy=strategy, revisionHistoryLimit=1)
        for version in "234":
            spec = {"template": template(version), "updateStrategy": strategy, "revisionHistoryLimit": 1}
            await update(cluster, **spec)
        assert await numbers(cluster) == {"1": 1, "4": 4}


async def test_a_revision_without_the_hash_gets_its_name_as_hash() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        await cluster.create(revision("older", await first_revision(cluster), data={"spec": {}}))
        adopted = await cluster.get("controllerrevisions", "older")
        assert adopted is not None
        assert adopted["metadata"]["labels"][REVISION] == "older"
        assert adopted["metadata"]["ownerReferences"][0]["name"] == "web"


async def test_of_equal_revisions_the_newest_stays_and_labels_the_pods() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        await cluster.create(revision("newer", await first_revision(cluster)))
        assert await names(cluster, "controllerrevisions") == ["newer"]
        [pod] = await listed(cluster)
        assert pod.labels[REVISION] == "newer"


async def test_a_taken_name_counts_as_a_collision() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(daemon_set())
        taken = await first_revision(cluster)
        await cluster.delete("daemonsets", "web")
        await cluster.change("controllerrevisions", taken.name, metadata={"ownerReferences": [], "labels": {}})
        await cluster.delete("controllerrevisions", taken.name)
        await cluster.create({**revision(taken.name, taken, data={"spec": {}}), "metadata": {"name": taken.name}})
        await cluster.create(daemon_set())
        await cluster.clock.advance(1)
        assert (await status(cluster, "daemonsets"))["collisionCount"] == 1
        assert len(await names(cluster, "controllerrevisions")) == 2


async def test_a_revision_that_no_longer_matches_is_released() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        first = await first_revision(cluster)
        await cluster.change("controllerrevisions", first.name, metadata={"labels": {"app": "other"}})
        released = await cluster.get("controllerrevisions", first.name)
        assert released is not None
        assert "ownerReferences" not in released["metadata"]
