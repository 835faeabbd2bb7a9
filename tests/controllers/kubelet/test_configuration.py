from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "config"},
    "data": {"color": "blue", "size": "3"},
    "binaryData": {"image": "AAE="},
}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "secret"}, "data": {"key": "aHVzaA=="}}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ({"value": "a $(FIRST) $$(FIRST) $(NONE)"}, "a one $(FIRST) $(NONE)"),
        ({"value": "$(NONE$(FIRST)) $(FIRST"}, "$(NONE$(FIRST)) $(FIRST"),
        ({"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, "web"),
        ({"valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}}, "shop"),
        ({"valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}, "node-1"),
        ({"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}, "10.244.1.2"),
        ({"valueFrom": {"fieldRef": {"fieldPath": "status.hostIP"}}}, "172.16.0.1"),
        ({"valueFrom": {"configMapKeyRef": {"name": "config", "key": "color"}}}, "blue"),
        ({"valueFrom": {"secretKeyRef": {"name": "secret", "key": "key"}}}, "hush"),
        ({"valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}}, "64"),
        ({"valueFrom": {"resourceFieldRef": {"resource": "requests.cpu"}}}, "1"),
        ({"valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}, "8"),
    ],
)
async def test_variables_get_their_values(variable: Document, value: str) -> None:
    async with sandbox() as box:
        environment = [{"name": "FIRST", "value": "one"}, {"name": "X", **variable}]
        resources = {"limits": {"memory": "64Mi"}, "requests": {"cpu": "250m"}}
        assert await _message(box, 'printf "$X" > /dev/termination-log', env=environment, resources=resources) == value


async def test_all_entries_become_variables_with_a_prefix() -> None:
    async with sandbox() as box:
        sources = [{"prefix": "C_", "configMapRef": {"name": "config"}}, {"secretRef": {"name": "secret"}}]
        script = 'echo "$C_color $C_size $key$C_image" > /dev/termination-log'
        assert await _message(box, script, envFrom=sources) == "blue 3 hush\n"


async def test_a_reference_to_a_variable_of_the_container_runtime_is_kept() -> None:
    async with sandbox() as box:
        command = ["sh", "-c", "echo '$(HOSTNAME) $(PATH) $(COLOR)' $HOSTNAME > /dev/termination-log"]
        settings = [{"name": "COLOR", "value": "blue"}, {"name": "PATH", "value": "/bin"}]
        await box.create(containers=[container("c0", command=command, env=settings)], restartPolicy="Never")
        message = (await box.container())["state"]["terminated"]["message"]
        assert message == "$(HOSTNAME) /bin blue web\n"


async def test_a_limit_of_the_whole_pod_stands_for_the_missing_limit_of_a_container() -> None:
    async with sandbox() as box:
        environment = [{"name": "X", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]
        await box.create(
            containers=[container("c0", "echo $X > /dev/termination-log", env=environment)],
            resources={"limits": {"cpu": "2"}},
            restartPolicy="Never",
        )
        assert (await box.container())["state"]["terminated"]["message"] == "2\n"


@pytest.mark.parametrize(
    ("volume", "file", "content"),
    [
        ({"configMap": {"name": "config"}}, "color", "blue"),
        ({"configMap": {"name": "config", "items": [{"key": "size", "path": "deep/s"}]}}, "deep/s", "3"),
        ({"secret": {"secretName": "secret"}}, "key", "hush"),
        (
            {"downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.annotations"}}]}},
            "l",
            'note="n"',
        ),
        ({"projected": {"sources": [{"secret": {"name": "secret"}}, {"configMap": {"name": "config"}}]}}, "size", "3"),
        ({"configMap": {"name": "none", "optional": True}}, "color", ""),
    ],
)
async def test_volumes_show_their_files(volume: Document, file: str, content: str) -> None:
    async with sandbox() as box:
        mounts = [{"name": "v", "mountPath": "/v"}]
        script = f"cat /v/{file} > /dev/termination-log; true"
        assert await _message(box, script, volumeMounts=mounts, volumes=[{"name": "v", **volume}]) == content


async def test_containers_share_an_empty_directory() -> None:
    async with sandbox() as box:
        mounts = [{"name": "v", "mountPath": "/shared"}]
        await box.create(
            volumes=[{"name": "v", "emptyDir": {}}],
            initContainers=[container("i0", "echo left > /shared/note", volumeMounts=mounts)],
            containers=[container("c0", "cat /shared/note > /dev/termination-log", volumeMounts=mounts)],
            restartPolicy="Never",
        )
        assert (await box.container())["state"]["terminated"]["message"] == "left\n"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"envFrom": [{"configMapRef": {"name": "none"}}]}, 'configmap "none" not found'),
        ({"envFrom": [{"secretRef": {"name": "none"}}]}, 'secret "none" not found'),
        (
            {"env": [{"name": "X", "valueFrom": {"configMapKeyRef": {"name": "config", "key": "none"}}}]},
            "couldn't find key none in ConfigMap default/config",
        ),
        (
            {"env": [{"name": "X", "valueFrom": {"configMapKeyRef": {"name": "config", "key": "image"}}}]},
            "couldn't find key image in ConfigMap default/config",
        ),
    ],
)
async def test_a_container_waits_for_what_it_is_configured_with(fields: dict[str, Any], message: str) -> None:
    async with sandbox() as box:
        await box.cluster.create(CONFIG)
        await box.create(containers=[container("c0", "sleep 60", **fields)])
        assert (await box.container())["state"]["waiting"] == {
            "reason": "CreateContainerConfigError",
            "message": message,
        }
        assert await box.events("Failed") == [f"Error: {message}"]


async def test_a_container_that_must_not_run_as_root_does_not_start_as_root() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", securityContext={"runAsNonRoot": True, "runAsUser": 0})
        pod = await box.pod()
        assert pod is not None
        where = f'pod: "web_default({pod["metadata"]["uid"]})", container: c0'
        problem = f"container's runAsUser breaks non-root policy ({where})"
        assert (await box.container())["state"]["waiting"] == {
            "reason": "CreateContainerConfigError",
            "message": problem,
        }


async def test_an_event_names_the_pull_secrets_that_are_missing() -> None:
    async with sandbox() as box:
        await box.cluster.create(SECRET)
        await box.run("sleep 60", imagePullSecrets=[{"name": "a"}, {"name": "secret"}, {"name": "b"}])
        assert await box.events("FailedToRetrieveImagePullSecret") == [
            "Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed."
        ]
        assert (await box.status())["phase"] == "Running"


async def test_a_pod_waits_for_a_volume_until_its_object_is_there() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", volumes=[{"name": "v", "configMap": {"name": "config"}}])
        problem = 'MountVolume.SetUp failed for volume "v" : configmap "config" not found'
        assert await box.events("FailedMount") == [problem]
        assert (await box.condition("PodReadyToStartContainers"))[0] == "False"
        await box.cluster.create(CONFIG)
        assert (await box.status())["phase"] == "Running"


@pytest.mark.parametrize(
    ("volume", "problem"),
    [
        (
            {"configMap": {"name": "config", "items": [{"key": "none", "path": "p"}]}},
            "configmap references non-existent config key: none",
        ),
        (
            {"secret": {"secretName": "secret", "items": [{"key": "none", "path": "p"}]}},
            "references non-existent secret key: none",
        ),
        (
            {"projected": {"sources": [{"secret": {"name": "a"}}, {"configMap": {"name": "b"}}]}},
            '[secret "a" not found, configmap "b" not found]',
        ),
    ],
)
async def test_an_event_names_what_a_volume_lacks(volume: Document, problem: str) -> None:
    async with sandbox() as box:
        await box.cluster.create(CONFIG)
        await box.cluster.create(SECRET)
        await box.run("sleep 60", volumes=[{"name": "v", **volume}])
        assert await box.events("FailedMount") == [f'MountVolume.SetUp failed for volume "v" : {problem}']


@pytest.mark.parametrize(("policy", "message"), [("File", None), ("FallbackToLogsOnError", "first\nlast\n")])
async def test_last_words_may_come_from_the_log(policy: str, message: str | None) -> None:
    async with sandbox() as box:
        script = "echo first; echo last; exit 1"
        await box.create(containers=[container("c0", script, terminationMessagePolicy=policy)], restartPolicy="Never")
        assert (await box.container())["state"]["terminated"].get("message") == message


async def _message(box: Sandbox, script: str, volumes: list[Document] | None = None, **fields: Any) -> str:
    """Run a container, and return the termination message that its script writes."""
    await box.cluster.create(CONFIG)
    await box.cluster.create(SECRET)
    await box.create(
        metadata={"labels": {"app": "shop"}, "annotations": {"note": "n"}},
        volumes=volumes or [],
        containers=[container("c0", script, **fields)],
        restartPolicy="Never",
    )
    return str((await box.container())["state"]["terminated"].get("message", ""))


@pytest.mark.parametrize("security", [{"runAsUser": 1000}, {"readOnlyRootFilesystem": True}])
async def test_every_user_may_write_the_termination_message(security: Document) -> None:
    async with sandbox() as box:
        path = {"terminationMessagePath": "/dev/other-log", "securityContext": security}
        script = "printf done > /dev/other-log; exit 3"
        await box.create(containers=[container("c0", script, **path)], restartPolicy="Never")
        ended = (await box.container())["state"]["terminated"]
        assert (ended["exitCode"], ended["message"]) == (3, "done")
