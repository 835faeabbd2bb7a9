"""PodDisruptionBudgets of pods whose owners are custom objects with a scale subresource."""

from typing import Any

import pytest

from memkube.apis.apiextensions.v1.customresourcedefinitions.types import CustomResourceDefinition
from memkube.controllers.definitions.serving import resources_of
from memkube.controllers.framework.runtime import Runtime
from tests.controllers.cluster import READY, Cluster, owned_by
from tests.controllers.cluster import running as running_cluster
from tests.controllers.test_disruption import budget, make_pods, numbers, status

pytestmark = pytest.mark.anyio

SCALE = {"specReplicasPath": ".spec.workers", "statusReplicasPath": ".status.workers"}


def serve_teams(cluster: Cluster, scope: str = "Namespaced", **subresources: Any) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Team", "plural": "teams", "singular": "team", "listKind": "TeamList"}
    spec = {
        "group": "example.com",
        "scope": scope,
        "names": names,
        "versions": [version | {"subresources": subresources}],
    }
    document = {"metadata": {"name": "teams.example.com"}, "spec": spec, "status": {"acceptedNames": names}}
    definition = CustomResourceDefinition.from_document(document)
    cluster.registry.catalog.serve(resources_of(definition, lambda: True, Runtime(cluster.parts)))


async def make_team(cluster: Cluster, **spec: Any) -> dict[str, Any]:
    """Create an owner, and return a reference to it."""
    team = {"apiVersion": "example.com/v1", "kind": "Team", "metadata": {"name": "a"}, "spec": spec}
    return owned_by(await cluster.create(team), controller=True)


async def test_pods_of_a_custom_kind_are_expected_by_its_scale() -> None:
    async with running_cluster("disruption") as cluster:
        serve_teams(cluster, scale=SCALE)
        await make_pods(cluster, READY, READY, ownerReferences=[await make_team(cluster, workers=5, replicas=9)])
        await cluster.create(budget(maxUnavailable="40%"))
        assert await numbers(cluster) == (5, 3, 2, 0)


@pytest.mark.parametrize(
    ("scope", "scale", "spec", "message"),
    [
        ("Namespaced", None, {"workers": 5}, "teams.example.com does not implement the scale subresource"),
        ("Cluster", SCALE, {"workers": 5}, 'found no controllers for pod "p0"'),
        ("Namespaced", SCALE, {}, 'Internal error occurred: the spec replicas field ".spec.workers" does not exist'),
        (
            "Namespaced",
            SCALE,
            {"workers": "many"},
            ".spec.workers accessor error: many is of the type string, expected int64",
        ),
        (
            "Namespaced",
            SCALE,
            {"workers": [{"a": "b"}, True]},
            ".spec.workers accessor error: [map[a:b] true] is of the type []interface {}, expected int64",
        ),
    ],
)
async def test_a_custom_scale_that_cannot_be_read_fails_the_count(
    scope: str, scale: dict[str, Any] | None, spec: dict[str, Any], message: str
) -> None:
    async with running_cluster("disruption") as cluster:
        serve_teams(cluster, scope, **({"status": {}} if scale is None else {}))
        owner = await make_team(cluster, **spec)
        if scale is not None:
            cluster.registry.catalog.remove("example.com", "teams")
            serve_teams(cluster, scope, scale=scale)
        await make_pods(cluster, READY, ownerReferences=[owner])
        await cluster.create(budget(maxUnavailable=1))
        found = await status(cluster)
        assert [(c["reason"], c["message"]) for c in found["conditions"]] == [("SyncFailed", message)]
