import asyncio
import subprocess
import sys

import pytest

from memkube.apis.catalog import served_resources
from memkube.controllers.available import (
    COLLECTOR,
    CONTROLLERS,
    NOT_SIMULATED,
    ControllerDescriptor,
    selected_names,
)
from memkube.controllers.framework.staged_kinds import STAGES
from memkube.registry.declarations.request_options import EVERYTHING
from tests.controllers.cluster import CONTAINERS, config_map, owned_by, running

KNOWN = {
    "a-controller": ControllerDescriptor(object, aliases=("a",)),
    "b": ControllerDescriptor(object),
    "c": ControllerDescriptor(object),
    "d": ControllerDescriptor(object, is_disabled_by_default=True),
}
DEPENDENT = {**KNOWN, "f": ControllerDescriptor(object, enabled_with="b")}
MISSING = {"e-controller": ("e",)}

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("all", ("a-controller", "b", "c")),
        ("*", ("a-controller", "b", "c")),
        ("all,d", ("a-controller", "b", "c", "d")),
        ("none", ()),
        ("", ()),
        ("c,a", ("a-controller", "c")),
        ("all,-b", ("a-controller", "c")),
        ("-b,*", ("a-controller", "c")),
        ("a,a-controller", ("a-controller",)),
        ("all,-a,-b,-c", ()),
        ("all,-e,-e-controller", ("a-controller", "b", "c")),
    ],
)
def test_controllers_are_chosen_by_name(text: str, names: tuple[str, ...]) -> None:
    assert selected_names(text, KNOWN, MISSING) == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f", "unknown controller 'f': choose from a-controller, b, c, d"),
        ("all,-f", "unknown controller 'f': choose from a-controller, b, c, d"),
        ("e", "memkube does not have the controller 'e': choose from a-controller, b, c, d"),
        ("-a", "-a takes a controller away from all, so write all,-a"),
        ("b,-a", "-a takes a controller away from all, so write all,-a"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        selected_names(text, KNOWN, MISSING)


@pytest.mark.parametrize(
    ("text", "is_chosen"), [("all", True), ("all,-b", False), ("all,-b,f", True), ("f", True), ("all,-f", False)]
)
def test_a_controller_can_be_on_by_default_with_another_one_only(text: str, is_chosen: bool) -> None:
    assert ("f" in selected_names(text, DEPENDENT)) == is_chosen


async def test_without_controllers_nothing_runs() -> None:
    before = asyncio.all_tasks()
    async with running() as cluster:
        revision = cluster.registry.backend.storage.seen
        await cluster.clock.advance(3600)
        assert cluster.registry.backend.storage.seen == revision
        assert asyncio.all_tasks() == before


async def test_a_controller_that_is_switched_off_does_nothing() -> None:
    async with running(*(name for name in CONTROLLERS if name != COLLECTOR)) as cluster:
        owner = await cluster.create(config_map("a"))
        await cluster.create(config_map("b", owned_by(owner)))
        await cluster.delete("configmaps", "a")
        assert await cluster.get("configmaps", "b") is not None


async def test_without_nodes_all_controllers_come_to_rest_and_stay_there() -> None:
    async with running(*CONTROLLERS, nodes=0) as cluster:
        await cluster.clock.advance(3600)
        revision = cluster.registry.backend.storage.seen
        await cluster.clock.advance(86_400)
        assert cluster.registry.backend.storage.seen == revision


async def test_nothing_is_left_running_behind() -> None:
    before = asyncio.all_tasks()
    async with running(*CONTROLLERS):
        assert asyncio.all_tasks() != before
    assert asyncio.all_tasks() == before


async def test_a_controller_sleeps_until_there_is_something_to_do() -> None:
    async with running("replicaset", "job", nodes=0) as cluster:
        tasks = len(asyncio.all_tasks())
        await cluster.create(config_map("a"))
        assert len(asyncio.all_tasks()) == tasks
        template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}
        spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        await cluster.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec})
        assert len((await cluster.store("pods").list("default", EVERYTHING)).items) == 2


def test_a_server_imports_no_controller_that_sleeps() -> None:
    program = (
        "import sys\nfrom memkube import Memkube\nwith Memkube(stages=True): pass\n"
        "print(*(name for name in sys.modules if name.startswith('memkube.controllers.')))"
    )
    command = [sys.executable, "-c", program]
    names = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert "memkube.controllers.kubelet.controller" in names
    asleep = ("statefulset", "job", "garbage_collector", "stages")
    assert not {f"memkube.controllers.{name}.controller" for name in asleep} & set(names)
    assert not [name for name in names if name.startswith("memkube.controllers.stages.languages")]


@pytest.mark.parametrize("name", [name for name, descriptor in CONTROLLERS.items() if descriptor.woken_by])
def test_the_kinds_that_wake_a_controller_are_served(name: str) -> None:
    served = {(resource.group, resource.version, resource.plural) for resource in served_resources()}
    # Stage is a custom kind, so it is not among the served built-in kinds.
    assert set(CONTROLLERS[name].woken_by) <= served | {STAGES}


def test_no_two_controllers_share_a_name() -> None:
    names = [*CONTROLLERS, *NOT_SIMULATED]
    names += [alias for descriptor in CONTROLLERS.values() for alias in descriptor.aliases]
    names += [alias for aliases in NOT_SIMULATED.values() for alias in aliases]
    assert len(names) == len(set(names))
