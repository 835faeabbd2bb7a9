"""Volumes with the contents of images."""

from typing import Any

import pytest

import memkube
from tests.controllers.kubelet.connections.client import logged
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio


async def test_the_image_of_a_volume_is_pulled_before_containers_start() -> None:
    async with sandbox() as box:
        await box.rule(image="data:*", pullSeconds=5)
        await _run(box)
        assert await box.events("Pulling", "Pulled") == ['Pulling image "data:1"']
        await box.advance(5)
        assert (await box.status())["phase"] == "Running"
        assert (await box.events("Pulling"))[1] == 'Pulling image "busybox:1.36"'


async def test_only_containers_that_mount_the_volume_wait_for_an_image_that_cannot_be_pulled() -> None:
    async with sandbox() as box:
        await box.rule(image="data:*", pullError="not found")
        await _run(box)
        assert (await box.container())["state"]["waiting"] == {"reason": "ErrImagePull", "message": "not found"}
        assert "running" in (await box.container("c1"))["state"]
        await box.advance(1)
        message = 'Back-off pulling image "data:1": ErrImagePull: not found'
        assert (await box.container())["state"]["waiting"] == {"reason": "ImagePullBackOff", "message": message}
        assert await box.events("Failed") == [
            'Failed to pull image "data:1": not found',
            "Error: ErrImagePull",
            "Error: ImagePullBackOff",
        ]
        await box.rule()
        await box.advance(30)
        assert (await box.status())["phase"] == "Running"


async def test_a_container_waits_if_the_image_of_its_volume_must_not_be_pulled() -> None:
    async with sandbox() as box:
        await _run(box, pullPolicy="Never")
        assert (await box.container())["state"]["waiting"]["reason"] == "ErrImageNeverPull"


async def test_the_volume_is_read_only() -> None:
    async with sandbox() as box:
        await _run(box, "touch /data/file; sleep 60")
        assert await logged(box) == "touch: /data/file: Read-only file system\n"


def test_a_restored_pod_still_waits_for_the_image() -> None:
    with memkube.Memkube(nodes=1, clock="stepped") as kube:
        kube.behaviors.put("slow", {"image": "data:*", "pullSeconds": 20})
        volumes = [{"name": "v", "image": {"reference": "data:1"}}]
        spec = {"volumes": volumes, "containers": [container("c0", "sleep 600")]}
        kube.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec})
        kube.clock.advance(10)
        kube.restore(kube.snapshot())
        assert kube.get("pods", "web")["status"]["phase"] == "Pending"
        kube.clock.advance(10)
        assert kube.get("pods", "web")["status"]["phase"] == "Running"


async def _run(box: Sandbox, script: str = "sleep 60", **image: Any) -> None:
    """Run a container that mounts an image volume, and another one that does not."""
    mounts = [{"name": "v", "mountPath": "/data"}]
    await box.create(
        volumes=[{"name": "v", "image": {"reference": "data:1", **image}}],
        containers=[container("c0", script, volumeMounts=mounts), container("c1", "sleep 60")],
    )
