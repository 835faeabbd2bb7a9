from typing import Any

import pytest

import memkube

NAMES = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}
POD: dict[str, Any] = {**NAMES, "spec": {"containers": [{"name": "app", "image": "nginx"}]}}


class Licences(memkube.SchedulerPlugin):
    """A filter plugin that accepts only nodes with a licence."""

    name = "Licences"

    def __init__(self, *nodes: str) -> None:
        self.nodes = nodes

    def filter(self, pod: dict[str, Any], node: dict[str, Any]) -> str | None:
        pod.clear()
        return None if node["metadata"]["name"] in self.nodes else "node(s) had no licence"


class Favourite(memkube.SchedulerPlugin):
    """A score plugin that prefers the second node."""

    name = "Favourite"
    weight = 10

    def score(self, pod: dict[str, Any], node: dict[str, Any]) -> int:
        return 100 if node["metadata"]["name"] == "node-2" else 0


class Excessive(memkube.SchedulerPlugin):
    """A score plugin whose score is above the maximum."""

    name = "Excessive"

    def score(self, pod: dict[str, Any], node: dict[str, Any]) -> int:
        return 300


def scheduled(*plugins: memkube.SchedulerPlugin) -> dict[str, Any]:
    with memkube.Memkube(nodes=2, clock="stepped", scheduler_plugins=plugins) as kube:
        kube.create(POD)
        kube.clock.advance(1)
        found: dict[str, Any] = kube.object("pods", "web")
        return found


def test_a_plugin_rejects_nodes_and_its_copies_may_be_changed() -> None:
    assert scheduled(Licences("node-2"))["spec"]["nodeName"] == "node-2"


def test_the_reason_of_a_plugin_is_in_the_condition() -> None:
    condition = scheduled(Licences())["status"]["conditions"][0]
    assert "0/2 nodes are available: 2 node(s) had no licence." in condition["message"]


def test_the_score_of_a_plugin_counts_with_its_weight() -> None:
    assert scheduled(Favourite())["spec"]["nodeName"] == "node-2"


def test_a_score_that_is_not_possible_fails_the_scheduling_of_the_pod() -> None:
    condition = scheduled(Excessive())["status"]["conditions"][0]
    assert (condition["reason"], "invalid score 300" in condition["message"]) == ("SchedulerError", True)


@pytest.mark.parametrize(
    ("plugins", "message"),
    [
        ([Favourite(), Favourite()], "already a scheduler plugin with the name 'Favourite'"),
        ([memkube.SchedulerPlugin()], "the scheduler plugin SchedulerPlugin has no name"),
        (["mine"], "must be a memkube.SchedulerPlugin, not 'mine'"),
    ],
)
def test_plugins_that_cannot_be_added_are_refused(plugins: list[Any], message: str) -> None:
    with pytest.raises(memkube.UsageError, match=message):
        memkube.Memkube(scheduler_plugins=plugins)
