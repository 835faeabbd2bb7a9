"""Files with tokens of a pod's service account."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jwt
import pytest

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.saving import KubeletState, restored_pod, saved_pod
from memkube.controllers.kubelet.service_variables import ServiceLinks, saved_sets
from memkube.controllers.kubelet.storage.persistent_files import PersistentFiles
from memkube.controllers.kubelet.storage.token_files import PodToken, TokenKey
from memkube.controllers.options import ControllerOptions
from tests.controllers.cluster import running
from tests.controllers.kubelet.connections.client import Client, connections, logged
from tests.controllers.kubelet.sandbox import Sandbox
from tests.controllers.service_account_tokens.token_secrets import token_options

pytestmark = pytest.mark.anyio
DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount"
MINUTE = 60


@asynccontextmanager
async def with_account(directory: Path) -> AsyncIterator[Sandbox]:
    """Run a sandbox whose namespace has the account ``default`` and the certificate of the API server."""
    async with running("kubelet", tokens=token_options(directory)) as cluster:
        box = Sandbox(cluster)
        await box.cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})
        root = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt"}}
        await box.cluster.create({**root, "data": {"ca.crt": "certificate"}})
        yield box


def volume(**token: Any) -> Document:
    """Return the volume that the admission plugin ServiceAccount adds."""
    root = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    namespace = {"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607, **token}},
        {"configMap": root},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": "access", "projected": {"sources": sources}}


async def run(box: Sandbox, script: str, mount: Document | None = None, **token: Any) -> None:
    mounts = [{"name": "access", "mountPath": DIRECTORY, **(mount or {})}]
    container = {"name": "c0", "image": "busybox", "command": ["sh", "-c", script], "volumeMounts": mounts}
    await box.create(containers=[container], volumes=[volume(**token)], serviceAccountName="default")


async def printed(box: Sandbox, *command: str) -> bytes:
    """Run a command in the container, and return its output."""
    nodes, pod = await connections(box)
    client = Client(b"")
    await (await nodes.execute(pod, "c0", command))(client.streams)
    return client.output


async def claims(box: Sandbox, line: int = -1) -> dict[str, Any]:
    """Return the claims of the token in a line of the log."""
    token = (await logged(box)).split("\n")[:-1][line]
    found: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return found


async def test_a_container_has_token_certificate_and_namespace(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        await run(box, f"cd {DIRECTORY}; ls; cat ca.crt; echo; cat namespace; echo; cat token; echo; sleep 1d")
        lines = (await logged(box)).split("\n")
        assert lines[:5] == ["ca.crt", "namespace", "token", "certificate", "default"]
        found = await claims(box)
        pod = await box.pod()
        assert pod is not None
        assert found["sub"] == "system:serviceaccount:default:default"
        assert found["kubernetes.io"]["pod"] == {"name": "web", "uid": pod["metadata"]["uid"]}


async def test_a_token_has_the_audience_of_its_source(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        await run(box, f"cat {DIRECTORY}/token; echo; sleep 1d", audience="vault", expirationSeconds=600)
        found = await claims(box)
        assert (found["aud"], found["exp"] - found["iat"]) == (["vault"], 600)


async def test_a_token_is_renewed_after_four_fifths_of_its_lifetime(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        await run(box, f"while true; do cat {DIRECTORY}/token; echo; sleep 60; done", expirationSeconds=3600)
        await box.advance(47 * MINUTE)
        assert await claims(box) == await claims(box, 0)
        await box.advance(2 * MINUTE)
        found = await claims(box)
        assert found["iat"] == (await claims(box, 0))["iat"] + 48 * MINUTE


async def server_with_token(box: Sandbox) -> SimulatedPod:
    """Run a pod without programs that mounts a token; return its simulation."""
    mount = {"name": "access", "mountPath": DIRECTORY}
    container = {"name": "c0", "image": "nginx", "volumeMounts": [mount]}
    await box.create(containers=[container], volumes=[volume()], serviceAccountName="default")
    document, kubelet = await box.pod(), box.cluster.manager.kubelet
    assert document is not None
    assert kubelet is not None
    simulated = kubelet.simulated(Pod.from_document(document))
    assert simulated is not None
    return simulated


async def test_a_token_that_no_program_reads_is_not_signed(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        simulated = await server_with_token(box)
        await box.advance(100 * MINUTE)
        assert "running" in (await box.container())["state"]
        assert [token.data for token in simulated.tokens.values()] == [b""]


async def test_a_token_is_requested_and_renewed_once_a_client_runs_a_program(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        await server_with_token(box)
        first = await printed(box, "cat", f"{DIRECTORY}/token")
        await box.advance(47 * MINUTE)
        assert await printed(box, "cat", f"{DIRECTORY}/token") == first
        await box.advance(2 * MINUTE)
        assert await printed(box, "cat", f"{DIRECTORY}/token") != first
        assert first.count(b".") == len(("header", "claims"))


async def test_a_token_mounted_by_its_own_path_is_not_renewed(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        mount = {"mountPath": "/token", "subPath": "token"}
        await run(box, "while true; do cat /token; echo; sleep 60; done", mount, expirationSeconds=600)
        await box.advance(9 * MINUTE)
        assert await claims(box) == await claims(box, 0)


async def test_a_pod_without_its_account_waits_for_it(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        await box.cluster.delete("serviceaccounts", "default")
        await run(box, "sleep 1d")
        problem = 'failed to fetch token: serviceaccounts "default" not found'
        assert await box.events("FailedMount") == [f'MountVolume.SetUp failed for volume "access" : {problem}']
        await box.cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})
        await box.advance(10)
        assert "running" in (await box.container())["state"]


async def test_a_token_that_cannot_be_renewed_stays(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        await run(box, f"while true; do cat {DIRECTORY}/token; echo; sleep 60; done", expirationSeconds=600)
        await box.cluster.delete("serviceaccounts", "default")
        await box.advance(9 * MINUTE)
        assert await claims(box) == await claims(box, 0)
        await box.cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})
        await box.advance(2 * MINUTE)
        assert (await claims(box))["iat"] > (await claims(box, 0))["iat"]


async def test_a_restored_container_reads_the_current_token(tmp_path: Path) -> None:
    async with with_account(tmp_path) as box:
        await run(box, "sleep 1d")
        document = await box.pod()
        kubelet = box.cluster.manager.kubelet
        assert document is not None
        assert kubelet is not None
        pod = Pod.from_document(document)
        simulated = kubelet.simulated(pod)
        assert simulated is not None
        variables = ServiceLinks(Informer())
        variables.restore(saved_sets(simulated.service_variables))
        state = KubeletState(ControllerOptions(), PersistentFiles(Informer()), variables.restored)
        restored = restored_pod(saved_pod(simulated), pod, set(), state)
        session = restored.containers["c0"].session
        assert session is not None
        key = TokenKey("", 3607)
        assert session.files.read(f"{DIRECTORY}/token") == simulated.tokens[key].data
        restored.tokens[key] = PodToken(box.cluster.clock.now(), b"renewed")
        assert session.files.read(f"{DIRECTORY}/token") == b"renewed"
