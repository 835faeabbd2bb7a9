"""Updates of the files in volumes when their ConfigMaps, Secrets or pods change."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.connections.client import Client, connections
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config"}, "data": {"color": "blue"}}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "secret"}, "stringData": {"color": "blue"}}
OF_CONFIG = {"configMap": {"name": "config"}}


@pytest.mark.parametrize(
    ("plural", "volume"),
    [
        ("configmaps", OF_CONFIG),
        ("secrets", {"secret": {"secretName": "secret"}}),
        ("configmaps", {"projected": {"sources": [{"configMap": {"name": "config"}}]}}),
        ("secrets", {"projected": {"sources": [{"secret": {"name": "secret"}}]}}),
    ],
)
async def test_a_volume_follows_its_object_at_the_next_synchronization(plural: str, volume: Document) -> None:
    async with sandbox() as box:
        await _serve(box, volume)
        await box.advance(30)
        data = {"configmaps": {"color": "red"}, "secrets": {"color": "cmVk"}}[plural]
        await box.cluster.change(plural, "config" if plural == "configmaps" else "secret", data=data)
        await box.advance(29)
        assert await _shown(box) == "blue"
        await box.advance(1)
        assert await _shown(box) == "red"


async def test_keys_appear_and_disappear_with_those_of_the_object() -> None:
    async with sandbox() as box:
        await _serve(box, OF_CONFIG)
        await box.cluster.change("configmaps", "config", data={"size": "3"})
        await box.advance(60)
        assert await _run(box, "ls", "/v") == "size\n"


async def test_a_running_script_sees_the_new_content() -> None:
    async with sandbox() as box:
        await _serve(box, OF_CONFIG, script="until grep -q red /v/color; do sleep 5; done; exit 3", restart="Never")
        await box.cluster.change("configmaps", "config", data={"color": "red"})
        await box.advance(65)
        assert (await box.container())["state"]["terminated"]["exitCode"] == 3


async def test_a_file_mounted_by_sub_path_does_not_follow() -> None:
    async with sandbox() as box:
        await _serve(box, OF_CONFIG, {"mountPath": "/v/color", "subPath": "color"})
        await box.cluster.change("configmaps", "config", data={"color": "red"})
        await box.advance(120)
        assert await _shown(box) == "blue"


async def test_labels_in_a_volume_follow_at_once() -> None:
    async with sandbox() as box:
        items = [{"path": "color", "fieldRef": {"fieldPath": "metadata.labels['color']"}}]
        await _serve(box, {"downwardAPI": {"items": items}})
        await box.cluster.change("pods", "web", metadata={"labels": {"color": "red"}})
        assert await _shown(box) == "red"


async def test_an_annotation_of_the_pod_updates_its_volumes_at_once() -> None:
    async with sandbox() as box:
        await _serve(box, OF_CONFIG)
        await box.cluster.change("configmaps", "config", data={"color": "red"})
        await box.cluster.change("pods", "web", metadata={"annotations": {"refresh": "1"}})
        assert await _shown(box) == "red"


async def test_a_volume_of_a_deleted_object_does_not_change_and_an_event_says_so() -> None:
    async with sandbox() as box:
        await _serve(box, OF_CONFIG)
        await box.cluster.delete("configmaps", "config")
        await box.advance(60)
        assert await _shown(box) == "blue"
        assert await box.events("FailedMount") == [
            'MountVolume.SetUp failed for volume "v" : configmap "config" not found'
        ]
        await box.cluster.create({**CONFIG, "data": {"color": "red"}})
        await box.advance(60)
        assert await _shown(box) == "red"


async def test_the_files_of_an_optional_object_appear_with_it() -> None:
    async with sandbox() as box:
        await _serve(box, {"configMap": {"name": "later", "optional": True}})
        await box.cluster.create({**CONFIG, "metadata": {"name": "later"}})
        await box.advance(60)
        assert await _shown(box) == "blue"


async def test_a_node_keeps_an_immutable_object_while_a_pod_uses_it() -> None:
    async with sandbox() as box:
        await _serve(box, OF_CONFIG, config={**CONFIG, "immutable": True})
        await box.cluster.delete("configmaps", "config")
        await box.cluster.create({**CONFIG, "data": {"color": "red"}})
        await box.advance(120)
        assert await _shown(box) == "blue"
        assert await box.events("FailedMount") == []
        await box.cluster.delete("pods", "web")
        await box.advance(60)
        await _start(box, OF_CONFIG)
        assert await _shown(box) == "red"


async def test_a_changed_label_of_the_object_updates_nothing() -> None:
    async with sandbox() as box:
        await _serve(box, OF_CONFIG)
        revision = (await _pod(box))["metadata"]["resourceVersion"]
        await box.cluster.change("configmaps", "config", metadata={"labels": {"a": "b"}})
        await box.advance(120)
        assert (await _pod(box))["metadata"]["resourceVersion"] == revision


async def _serve(
    box: Sandbox,
    volume: Document,
    mount: Document | None = None,
    *,
    config: Document = CONFIG,
    **fields: Any,
) -> None:
    await box.cluster.create(config)
    await box.cluster.create(SECRET)
    await _start(box, volume, mount, **fields)


async def _start(
    box: Sandbox, volume: Document, mount: Document | None = None, script: str = "", restart: str = "Always"
) -> None:
    """Create a pod that mounts the volume at ``/v``."""
    mounts = [{"name": "v", "mountPath": "/v", **(mount or {})}]
    await box.create(
        metadata={"labels": {"color": "blue"}},
        containers=[container("c0", script, volumeMounts=mounts)],
        volumes=[{"name": "v", **volume}],
        restartPolicy=restart,
    )


async def _shown(box: Sandbox) -> str:
    """Return the content of the file in the volume."""
    return await _run(box, "cat", "/v/color")


async def _run(box: Sandbox, *command: str) -> str:
    nodes, pod = await connections(box)
    client = Client(b"")
    await (await nodes.execute(pod, "c0", command))(client.streams)
    return client.output.decode()


async def _pod(box: Sandbox) -> Document:
    pod = await box.pod()
    assert pod is not None
    return pod
