from pathlib import Path
from typing import Any

import pytest
import yaml

from memkube.controllers.options import ControllerOptions
from memkube.controllers.scheduler.configuration import read_scheduler_configuration
from memkube.controllers.scheduler.framework import Profile
from memkube.controllers.scheduler.profiles import DEFAULT_NAME, DEFAULT_PROFILE
from tests.controllers.scheduler.scheduling import events, node, node_of, place, pod, scheduling

pytestmark = pytest.mark.anyio
HEADER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def read(folder: Path, **fields: Any) -> tuple[Profile, ...]:
    file = folder / "scheduler.yaml"
    file.write_text(yaml.safe_dump(HEADER | fields))
    return read_scheduler_configuration(file)


def profile(folder: Path, **plugins: Any) -> Profile:
    return read(folder, profiles=[{"plugins": plugins}])[0]


def test_a_file_without_profiles_is_the_default_profile(tmp_path: Path) -> None:
    assert read(tmp_path, leaderElection={"leaderElect": False}) == (DEFAULT_PROFILE,)


def test_a_disabled_plugin_is_neither_filter_nor_score(tmp_path: Path) -> None:
    found = profile(tmp_path, multiPoint={"disabled": [{"name": "TaintToleration"}]})
    names = {rule.name for rule in found.rules} | {score.name for score in found.scores}
    assert "TaintToleration" not in names


def test_plugins_of_an_extension_point_replace_all_that_are_disabled_there(tmp_path: Path) -> None:
    found = profile(tmp_path, score={"disabled": [{"name": "*"}], "enabled": [{"name": "ImageLocality", "weight": 7}]})
    assert [(score.name, score.weight) for score in found.scores] == [("ImageLocality", 7)]
    assert found.rules == DEFAULT_PROFILE.rules


def test_a_plugin_enabled_at_an_extension_point_runs_first_with_its_weight(tmp_path: Path) -> None:
    found = profile(tmp_path, score={"enabled": [{"name": "ImageLocality"}]})
    assert (found.scores[0].name, found.scores[0].weight) == ("ImageLocality", 1)
    assert len(found.scores) == len(DEFAULT_PROFILE.scores)


@pytest.mark.parametrize(
    "plugins",
    [
        {"filter": {"enabled": [{"name": "NodeName"}]}},
        {"filter": {"disabled": [{"name": "NodeName"}, {"name": "PrioritySort"}]}},
        {"score": {"enabled": [{"name": "VolumeBinding", "weight": 3}]}},
        {"postFilter": {"enabled": [{"name": "DynamicResources"}]}},
    ],
)
def test_plugins_that_decide_nothing_at_an_extension_point_can_be_configured(
    tmp_path: Path, plugins: dict[str, Any]
) -> None:
    assert profile(tmp_path, **plugins) == DEFAULT_PROFILE


def test_preemption_can_be_disabled(tmp_path: Path) -> None:
    assert not profile(tmp_path, postFilter={"disabled": [{"name": "DefaultPreemption"}]}).preempts


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"extenders": []}, "extenders: Extra inputs are not permitted"),
        ({"profiles": [{}, {"schedulerName": "mine"}]}, "not all have a schedulerName"),
        (
            {"profiles": [{"schedulerName": "mine"}, {"schedulerName": "mine"}]},
            "has two profiles with the name 'mine'",
        ),
        (
            {"profiles": [{"plugins": {"score": {"enabled": [{"name": "ImageLocality"}, {"name": "ImageLocality"}]}}}]},
            "plugin 'ImageLocality' of the scheduler is enabled twice",
        ),
        (
            {"profiles": [{"plugins": {"multiPoint": {"disabled": [{"name": "*"}]}}}]},
            "plugin 'DefaultBinder' of the scheduler cannot be disabled",
        ),
        (
            {"profiles": [{"plugins": {"filter": {"disabled": [{"name": "NodeAfinity"}]}}}]},
            "unknown plugin of the scheduler 'NodeAfinity': did you mean 'NodeAffinity'",
        ),
        (
            {"profiles": [{"plugins": {"filter": {"enabled": [{"name": "ImageLocality"}]}}}]},
            "plugin 'ImageLocality' of the scheduler is not a filter plugin",
        ),
        (
            {"profiles": [{"plugins": {"multiPoint": {"disabled": [{"name": "DefaultBinder"}]}}}]},
            "plugin 'DefaultBinder' of the scheduler cannot be disabled",
        ),
    ],
)
def test_a_configuration_that_cannot_be_followed_is_refused(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match="scheduler") as refused:
        read(tmp_path, **fields)
    assert message in str(refused.value)


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot read the scheduler configuration"):
        read_scheduler_configuration(tmp_path / "absent")


def test_the_fault_of_a_malformed_file_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "scheduler.yaml"
    path.write_text("profiles: [")
    with pytest.raises(ValueError, match="cannot read the scheduler configuration") as refused:
        read_scheduler_configuration(path)
    assert len(str(refused.value).splitlines()) == 1


async def test_a_pod_is_scheduled_by_the_profile_that_it_names(tmp_path: Path) -> None:
    careless = {"multiPoint": {"disabled": [{"name": "NodeUnschedulable"}, {"name": "TaintToleration"}]}}
    profiles = read(
        tmp_path, profiles=[{"schedulerName": DEFAULT_NAME}, {"schedulerName": "careless", "plugins": careless}]
    )
    cordoned = node("a", spec={"unschedulable": True})
    async with scheduling(cordoned, options=ControllerOptions(scheduler_profiles=profiles)) as cluster:
        assert await place(cluster, pod("usual")) is None
        assert await place(cluster, pod("careless", schedulerName="careless")) == "a"
        assert [event["reportingComponent"] for event in await events(cluster, "Scheduled")] == ["careless"]


async def test_a_pod_that_names_no_profile_waits(tmp_path: Path) -> None:
    options = ControllerOptions(scheduler_profiles=read(tmp_path, profiles=[{"schedulerName": "mine"}]))
    async with scheduling(node("a"), options=options) as cluster:
        assert await place(cluster, pod("usual")) is None
        assert await place(cluster, pod("other", schedulerName="mine")) == "a"
        assert await node_of(cluster, "usual") is None


@pytest.mark.parametrize(
    ("disabled", "ending"),
    [
        ("DefaultPreemption", "no new claims to deallocate"),
        ("DynamicResources", "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."),
        ("*", "node(s) were unschedulable."),
    ],
)
async def test_the_message_has_the_results_of_the_plugins_after_the_filters(
    tmp_path: Path, disabled: str, ending: str
) -> None:
    profiles = read(tmp_path, profiles=[{"plugins": {"postFilter": {"disabled": [{"name": disabled}]}}}])
    cordoned = node("a", spec={"unschedulable": True})
    async with scheduling(cordoned, options=ControllerOptions(scheduler_profiles=profiles)) as cluster:
        await cluster.create(pod("web"))
        (event,) = await events(cluster, "FailedScheduling")
        assert event["message"].endswith(f". {ending}" if disabled != "*" else ending)
