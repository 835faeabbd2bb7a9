"""Permissions, owners and update times of files in volumes."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import config_map
from tests.controllers.kubelet.connections.client import Client, connections
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio


async def _start(box: Sandbox, volume: Document, security: Document | None = None, **fields: Any) -> None:
    """Create a pod that mounts a volume at ``/v``. `security` and `fields` are of the pod's context and container."""
    await box.cluster.create({**config_map("colors"), "data": {"color": "blue", "key": "k"}})
    await box.create(
        containers=[container("c0", volumeMounts=[{"name": "v", "mountPath": "/v"}], **fields)],
        volumes=[{"name": "v", **volume}],
        securityContext=security or {},
    )


async def _run(box: Sandbox, script: str) -> str:
    nodes, pod = await connections(box)
    client = Client(b"")
    await (await nodes.execute(pod, "c0", ("sh", "-c", script)))(client.streams)
    return (client.output + client.errors).decode()


_ITEMS = [{"key": "color", "path": "a/color"}, {"key": "key", "path": "key", "mode": 0o400}]
_MODES = "stat -Lc %A:%g:%u /v /v/* /v/a/*"


@pytest.mark.parametrize(
    ("volume", "security", "shown"),
    [
        ({"emptyDir": {}}, {}, ["drwxrwxrwx:0:0"]),
        ({"emptyDir": {"medium": "Memory"}}, {"fsGroup": 5}, ["drwxrwsrwt:5:0"]),
        (
            {"configMap": {"name": "colors", "defaultMode": 0o644, "items": _ITEMS}},
            {},
            ["drwxrwxrwx:0:0", "drwxr-xr-x:0:0", "-r--------:0:0", "-rw-r--r--:0:0"],
        ),
        (
            {"configMap": {"name": "colors", "defaultMode": 0o600, "items": _ITEMS}},
            {"fsGroup": 5},
            ["drwxrwsrwx:5:0", "drwxr-sr-x:5:0", "-r--r-----:5:0", "-rw-r-----:5:0"],
        ),
        (
            {"projected": {"sources": [{"configMap": {"name": "colors", "items": _ITEMS}}]}},
            {},
            ["drwxrwxrwt:0:0", "drwxr-xr-x:0:0", "-r--------:0:0", "-rw-r--r--:0:0"],
        ),
    ],
)
async def test_volumes_have_the_permissions_that_the_pod_sets(
    volume: Document, security: Document, shown: list[str]
) -> None:
    async with sandbox() as box:
        await _start(box, volume, security)
        printed = await _run(box, _MODES)
        assert [line for line in printed.splitlines() if not line.startswith("stat:")] == shown


async def test_an_update_of_a_volume_moves_its_link_to_a_new_directory() -> None:
    async with sandbox() as box:
        await _start(box, {"configMap": {"name": "colors"}})
        first = await _run(box, "readlink /v/..data")
        await box.cluster.change("configmaps", "colors", data={"color": "red"})
        await box.advance(60)
        second = await _run(box, "readlink /v/..data")
        assert first.startswith(f"..{box.began:%Y_%m_%d_%H_%M_%S}.")
        assert second != first
        assert await _run(box, "cat /v/..data/color; ls -A /v") == f"red{second}..data\ncolor\n"


async def test_a_synchronization_without_a_change_keeps_the_directory() -> None:
    async with sandbox() as box:
        await _start(box, {"configMap": {"name": "colors"}})
        first = await _run(box, "readlink /v/..data")
        pod = await box.pod()
        assert pod is not None
        await box.cluster.change("pods", "web", metadata={"labels": {"a": "b"}})
        await box.advance(60)
        assert await _run(box, "readlink /v/..data") == first


async def test_a_read_only_root_leaves_only_volumes_writable() -> None:
    async with sandbox() as box:
        await _start(box, {"emptyDir": {}}, securityContext={"readOnlyRootFilesystem": True})
        printed = await _run(box, "touch /v/f /x; ls /v; mount | head -n 1")
        assert printed.splitlines() == [
            "f",
            "overlay on / type overlay (ro,relatime)",
            "touch: /x: Read-only file system",
        ]


async def test_a_user_without_rights_does_not_read_a_secret_file() -> None:
    async with sandbox() as box:
        volume = {"configMap": {"name": "colors", "defaultMode": 0o400}}
        await _start(box, volume, {"runAsUser": 1000, "runAsGroup": 1000})
        assert await _run(box, "cat /v/color") == "cat: can't open '/v/color': Permission denied\n"


async def test_the_group_of_the_pod_reads_a_secret_file() -> None:
    async with sandbox() as box:
        volume = {"configMap": {"name": "colors", "defaultMode": 0o400}}
        await _start(box, volume, {"runAsUser": 1000, "fsGroup": 5})
        assert await _run(box, "cat /v/color; id") == "blueuid=1000 gid=0(root) groups=0(root),5\n"
