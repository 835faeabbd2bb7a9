from typing import Any

import pytest

from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.deployments.validation import default_deployment
from memkube.controllers.deployment.new_replica_set import replica_set_name
from memkube.controllers.workloads.template_hash import template_hash
from tests.controllers.cluster import CONTAINERS


def deployment(name: str = "web", version: str = "1", **spec: Any) -> Deployment:
    template = {
        "metadata": {"labels": {"app": "web", "ver": version}},
        "spec": {"containers": CONTAINERS, **spec},
    }
    made = Deployment.from_document({"metadata": {"name": name}, "spec": {"template": template}})
    default_deployment(made)
    return made


@pytest.mark.parametrize(
    ("made", "digest"),
    [
        (deployment(terminationGracePeriodSeconds=0), "9678dddf6"),
        (deployment(version="2", terminationGracePeriodSeconds=0), "57d5f99487"),
        (deployment(nodeName="conf-801fedc416-node"), "56768fc88c"),
        (deployment(nodeName="conf-6b6ca93033-node"), "669d8b6b57"),
    ],
)
def test_a_template_has_the_digest_that_the_reference_gives_it(made: Deployment, digest: str) -> None:
    assert template_hash(made.spec.template, made.status.collisionCount) == digest


def test_a_collision_makes_another_digest() -> None:
    digests = {template_hash(deployment().spec.template, count) for count in (None, 0, 1)}
    assert len(digests) == 3


def test_a_long_name_is_cut() -> None:
    assert replica_set_name(deployment("a" * 253), "hash") == f"{'a' * 248}-hash"
