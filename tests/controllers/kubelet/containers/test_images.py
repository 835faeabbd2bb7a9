from typing import Any

import pytest

from memkube.controllers.kubelet.containers.images import image_id
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

BROKEN = {"pullError": "not found"}


async def test_an_image_is_pulled_once_for_a_node() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", name="a")
        await box.run("sleep 60", name="b")
        assert await box.events("Pulling", "Pulled") == [
            'Pulling image "busybox:1.36"',
            'Successfully pulled image "busybox:1.36" in 0s (0s including waiting). Image size: 0 bytes.',
            'Container image "busybox:1.36" already present on machine and can be accessed by the pod',
        ]


async def test_a_pull_takes_as_long_as_a_rule_says() -> None:
    async with sandbox() as box:
        await box.rule(pullSeconds=8.5)
        await box.run("sleep 60")
        assert await _waiting(box) == ("ContainerCreating", "")
        await box.advance(8.5)
        assert (await box.status())["phase"] == "Running"
        assert "in 8.5s (8.5s including waiting)" in (await box.events("Pulled"))[0]


async def test_a_start_can_be_delayed() -> None:
    async with sandbox() as box:
        await box.rule(startDelaySeconds=3)
        await box.run("sleep 60")
        assert (await box.status())["phase"] == "Pending"
        await box.advance(3)
        assert (await box.status())["phase"] == "Running"


async def test_a_failed_pull_backs_off() -> None:
    async with sandbox() as box:
        await box.rule(**BROKEN)
        await box.run("sleep 60")
        assert await _waiting(box) == ("ErrImagePull", "not found")
        await box.advance(1)
        back_off = 'Back-off pulling image "busybox:1.36": ErrImagePull: not found'
        assert await _waiting(box) == ("ImagePullBackOff", back_off)
        assert await box.events("Failed", "BackOff") == [
            'Failed to pull image "busybox:1.36": not found',
            "Error: ErrImagePull",
            'Back-off pulling image "busybox:1.36"',
            "Error: ImagePullBackOff",
        ]


async def test_a_pull_is_tried_again_until_it_succeeds() -> None:
    async with sandbox() as box:
        await box.rule(**BROKEN)
        await box.run("sleep 60")
        await box.advance(29)
        await box.rule()
        assert (await box.status())["phase"] == "Pending"
        await box.advance(1)
        assert (await box.status())["phase"] == "Running"


@pytest.mark.parametrize(
    ("error", "reason", "message"),
    [
        (
            "RegistryUnavailable: connection refused",
            "RegistryUnavailable",
            "image pull failed for busybox:1.36 because the registry is unavailable: connection refused",
        ),
        (
            "SignatureValidationFailed",
            "SignatureValidationFailed",
            "image pull failed for busybox:1.36 because the signature validation failed",
        ),
    ],
)
async def test_known_errors_of_the_runtime_become_the_reason(error: str, reason: str, message: str) -> None:
    async with sandbox() as box:
        await box.rule(pullError=error)
        await box.run("sleep 60")
        assert await _waiting(box) == (reason, message)
        assert await box.events("Failed") == [f'Failed to pull image "busybox:1.36": {error}', f"Error: {reason}"]
        await box.advance(1)
        back_off = f'Back-off pulling image "busybox:1.36": {reason}: {message}'
        assert await _waiting(box) == ("ImagePullBackOff", back_off)


async def test_an_image_without_a_tag_is_the_latest_one() -> None:
    async with sandbox() as box:
        await box.create("a", containers=[{"name": "c0", "image": "busybox", "command": ["sleep", "60"]}])
        latest = {"name": "c0", "image": "busybox:latest", "imagePullPolicy": "IfNotPresent"}
        await box.create("b", containers=[latest])
        message = 'Container image "busybox:latest" already present on machine and can be accessed by the pod'
        assert (await box.events("Pulled"))[1] == message


async def test_an_image_that_must_not_be_pulled_is_missed() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", "sleep 60", imagePullPolicy="Never")])
        message = 'Container image "busybox:1.36" is not present with pull policy of Never'
        assert await _waiting(box) == ("ErrImageNeverPull", message)


@pytest.mark.parametrize(
    ("image", "repository"),
    [
        ("nginx", "docker.io/library/nginx"),
        ("nginx:1.27", "docker.io/library/nginx"),
        ("team/web:2", "docker.io/team/web"),
        ("registry.example:5000/web:2", "registry.example:5000/web"),
        ("localhost/web", "localhost/web"),
        ("nginx@sha256:abc", "docker.io/library/nginx"),
    ],
)
def test_the_identifier_of_an_image_names_its_repository(image: str, repository: str) -> None:
    assert image_id(image).partition("@")[0] == repository


@pytest.mark.parametrize(
    ("image", "problem"),
    [
        ("Nginx", "invalid reference format: repository name (library/Nginx) must be lowercase"),
        ("nginx:one two", "invalid reference format"),
    ],
)
async def test_an_image_whose_name_is_invalid_is_not_pulled(image: str, problem: str) -> None:
    async with sandbox() as box:
        await box.create(containers=[{"name": "c0", "image": image}])
        message = f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": {problem}'
        assert await _waiting(box) == ("InvalidImageName", message)
        assert await box.events("InspectFailed", "Failed") == [message, "Error: InvalidImageName"]


async def _waiting(box: Sandbox) -> tuple[Any, Any]:
    waiting = (await box.container())["state"]["waiting"]
    return waiting["reason"], waiting.get("message", "")
