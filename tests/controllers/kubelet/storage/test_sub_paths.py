"""Mounts of parts of volumes, by ``subPath`` and ``subPathExpr``."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.connections.client import Client, connections, logged
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

_SCRATCH = {"name": "v", "emptyDir": {}}
_CONFIG = {
    "name": "v",
    "configMap": {"name": "config", "items": [{"key": "color", "path": "etc/my/color", "mode": 256}]},
}


async def test_containers_see_the_parts_of_a_volume_that_they_mount() -> None:
    async with sandbox() as box:
        part = _mounting("c0", "echo one > /part/file; sleep 60", "/part", subPath="a/b")
        whole = _mounting("c1", "sleep 1; cat /v/a/b/file; ls /v /v/a; sleep 60", "/v")
        await box.create(containers=[part, whole], volumes=[_SCRATCH])
        await box.advance(1)
        assert await logged(box, "c1") == "one\n/v:\na\n\n/v/a:\nb\n"


async def test_a_missing_directory_is_created_like_the_root_of_the_volume() -> None:
    async with sandbox() as box:
        await box.create(
            containers=[_mounting("c0", "stat -c %a /part; sleep 60", "/part", subPath="new")], volumes=[_SCRATCH]
        )
        assert await logged(box) == "777\n"


async def test_a_file_of_a_volume_is_mounted_alone() -> None:
    async with sandbox() as box:
        writes = _mounting("i0", "echo one > /v/file; echo two > /v/other", "/v")
        reads = _mounting(
            "c0", "cat /etc/app.conf; rm /etc/app.conf; ls /etc/app.conf; sleep 60", "/etc/app.conf", subPath="file"
        )
        await box.create(initContainers=[writes], containers=[reads], volumes=[_SCRATCH])
        await box.advance(1)
        assert await logged(box) == "one\nrm: can't remove '/etc/app.conf': Device or resource busy\n/etc/app.conf\n"


async def test_a_sub_path_that_leads_through_a_file_is_an_error() -> None:
    async with sandbox() as box:
        writes = _mounting("i0", "echo one > /v/file", "/v")
        reads = _mounting("c0", "sleep 60", "/part", subPath="file/below")
        await box.create(initContainers=[writes], containers=[reads], volumes=[_SCRATCH])
        await box.advance(1)
        assert (await box.container())["state"]["waiting"] == {
            "reason": "CreateContainerConfigError",
            "message": 'failed to create subPath directory for volumeMount "v" of container "c0"',
        }


async def test_a_directory_of_a_config_map_is_mounted_with_the_modes_of_its_files() -> None:
    async with sandbox() as box:
        await box.cluster.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config"}, "data": {"color": "blue"}}
        )
        shows = "cat /my/color; echo; stat -c %a /my/color; sleep 60"
        await box.create(containers=[_mounting("c0", shows, "/my", subPath="etc/my")], volumes=[_CONFIG])
        assert await logged(box) == "blue\n400\n"


async def test_variables_in_a_sub_path_are_expanded() -> None:
    async with sandbox() as box:
        name = {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
        part = _mounting("c0", "echo one > /part/file; sleep 60", "/part", subPathExpr="pods/$(POD)", env=[name])
        whole = _mounting("c1", "sleep 1; cat /v/pods/web/file; sleep 60", "/v")
        await box.create(containers=[part, whole], volumes=[_SCRATCH])
        await box.advance(1)
        assert await logged(box, "c1") == "one\n"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "missing value for PART"),
        ("/etc", "error SubPath `/etc` must not be an absolute path"),
        ("../etc", "unable to provision SubPath `../etc`: must not contain '..'"),
    ],
)
async def test_a_sub_path_that_leads_out_of_the_volume_is_an_error(value: str, message: str) -> None:
    async with sandbox() as box:
        env = [{"name": "PART", "value": value}]
        await box.create(
            containers=[_mounting("c0", "sleep 60", "/part", subPathExpr="$(PART)", env=env)], volumes=[_SCRATCH]
        )
        assert (await box.container())["state"]["waiting"] == {
            "reason": "CreateContainerConfigError",
            "message": message,
        }


async def test_df_shows_the_use_of_the_whole_volume() -> None:
    async with sandbox() as box:
        await box.create(
            containers=[
                _mounting("c0", "head -c 4096 /dev/zero > /part/file; sleep 60", "/part", subPath="a"),
                _mounting("c1", "sleep 60", "/other", subPath="b"),
            ],
            volumes=[_SCRATCH],
        )
        assert (await _run(box, "c0", "df", "/part")).split()[9] == (await _run(box, "c1", "df", "/other")).split()[9]


def _mounting(name: str, script: str, mount_path: str, *, env: Any = (), **fields: str) -> Document:
    mount = {"name": "v", "mountPath": mount_path, **fields}
    return container(name, script, volumeMounts=[mount], env=list(env))


async def _run(box: Sandbox, name: str, *command: str) -> str:
    nodes, pod = await connections(box)
    client = Client(b"")
    await (await nodes.execute(pod, name, command))(client.streams)
    return client.output.decode()
