"""The user, the groups and the operating system that programs in containers see."""

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.connections.client import logged
from tests.controllers.kubelet.sandbox import container, sandbox

pytestmark = pytest.mark.anyio

NOBODY = {"runAsUser": 1000, "runAsGroup": 3000, "fsGroup": 2000, "supplementalGroups": [4000]}


@pytest.mark.parametrize(
    ("script", "context", "output"),
    [
        ("id", {}, "uid=0(root) gid=0(root) groups=0(root)\n"),
        ("id", NOBODY, "uid=1000 gid=3000 groups=2000,3000,4000\n"),
        ("id", {"runAsUser": 1000}, "uid=1000 gid=0(root) groups=0(root)\n"),
        ("id -u", NOBODY, "1000\n"),
        ("id -g", NOBODY, "3000\n"),
        ("id -G", NOBODY, "2000 3000 4000\n"),
        ("id -un", {}, "root\n"),
        ("id -un", NOBODY, "id: unknown ID 1000\n"),
        ("uname", {}, "Linux\n"),
        ("uname -nm", {}, "web x86_64\n"),
        ("uname -a", {}, "Linux web simulated simulated x86_64 GNU/Linux\n"),
    ],
)
async def test_a_container_shows_its_identity(script: str, context: Document, output: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", script)], securityContext=context, restartPolicy="Never")
        assert await logged(box) == output
