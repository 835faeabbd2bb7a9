"""Variables from environment files in volumes (``fileKeyRef``)."""

from typing import Any

import pytest

from memkube.controllers.kubelet.containers.env_files import variable_in
from memkube.controllers.kubelet.programs.inodes import Inode
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

FILE = """# settings
A='one'
  B='two
lines' # comment

C= 'empty'
A='again'
"""


@pytest.mark.parametrize(("key", "value"), [("A", "one"), ("B", "two\nlines"), ("C", ""), ("none", "")])
def test_a_variable_has_the_value_that_the_file_sets_first(key: str, value: str) -> None:
    assert variable_in(Inode(bytearray(FILE.encode())), key) == value


@pytest.mark.parametrize("line", ["A=1", "A ='1'", "='1'", "A", "A='1' x", "A='1", 'A="1"'])
def test_a_line_with_another_syntax_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match="not a variable"):
        variable_in(Inode(bytearray(line.encode())), "A")


@pytest.mark.anyio
async def test_a_container_gets_a_variable_from_a_file_that_an_init_container_writes() -> None:
    async with sandbox() as box:
        await _run(box, "echo \"COLOR='blue'\" > /shared/env")
        assert (await box.container())["state"]["terminated"]["message"] == "blue"


@pytest.mark.anyio
async def test_a_variable_that_the_file_does_not_set_is_an_error_unless_it_is_optional() -> None:
    async with sandbox() as box:
        await _run(box, "echo \"SIZE='3'\" > /shared/env")
        pod = await box.pod()
        assert pod is not None
        path = f"/var/lib/kubelet/pods/{pod['metadata']['uid']}/volumes/kubernetes.io~empty-dir/v/env"
        problem = f'environment variable key "COLOR" not found in file "{path}"'
        assert (await box.container())["state"]["waiting"]["message"] == problem
    async with sandbox() as box:
        await _run(box, "echo \"SIZE='3'\" > /shared/env", optional=True)
        assert (await box.container())["state"]["terminated"]["message"] == "none"


@pytest.mark.anyio
async def test_a_missing_file_is_an_error() -> None:
    async with sandbox() as box:
        await _run(box, "true", optional=True)
        assert (await box.container())["state"]["waiting"] == {
            "reason": "CreateContainerConfigError",
            "message": "couldn't parse env file",
        }


async def _run(box: Sandbox, script: str, **reference: Any) -> None:
    """Run `script` in an init container, and a container with the variable COLOR of the file env in their volume."""
    source = {"fileKeyRef": {"volumeName": "v", "path": "env", "key": "COLOR", **reference}}
    mounts = [{"name": "v", "mountPath": "/shared"}]
    shows = "printf ${COLOR:-none} > /dev/termination-log"
    await box.create(
        volumes=[{"name": "v", "emptyDir": {}}],
        initContainers=[container("i0", script, volumeMounts=mounts)],
        containers=[container("c0", shows, env=[{"name": "COLOR", "valueFrom": source}])],
        restartPolicy="Never",
    )
