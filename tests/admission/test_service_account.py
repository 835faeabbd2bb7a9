from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from memkube.admission.available import default_plugins
from memkube.server.server import Server
from memkube.server.settings import Settings

_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


@pytest.fixture
def accounts(client: httpx.Client, namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/serviceaccounts"


def _pod(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "app", "image": "nginx"}], **spec}}


def _account(client: httpx.Client, accounts: str, annotations: dict[str, str] | None = None, **fields: Any) -> None:
    metadata = {"name": "mine", "annotations": annotations or {}}
    client.post(accounts, json={"metadata": metadata, **fields}).raise_for_status()


def test_a_pod_has_the_default_account_and_its_token(client: httpx.Client, pods: str) -> None:
    spec = client.post(pods, json=_pod()).json()["spec"]
    assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("default", "default")
    (volume,) = spec["volumes"]
    assert volume["name"].startswith("kube-api-access-")
    assert len(volume["name"]) == len("kube-api-access-") + 5
    assert spec["containers"][0]["volumeMounts"] == [{"name": volume["name"], "readOnly": True, "mountPath": _PATH}]
    reference = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    assert volume["projected"] == {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": reference}]}},
        ],
        "defaultMode": 420,
    }


def test_a_missing_account_is_refused(client: httpx.Client, pods: str, namespace: str) -> None:
    status = client.post(pods, json=_pod(serviceAccountName="none")).json()
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert status["message"] == (
        f'pods "web" is forbidden: error looking up service account {namespace}/none: serviceaccount "none" not found'
    )


@pytest.mark.parametrize(
    ("account", "pod", "mounted"), [(False, None, False), (False, True, True), (True, False, False), (None, None, True)]
)
def test_the_pod_decides_over_the_token_before_its_account(
    client: httpx.Client, accounts: str, pods: str, account: bool | None, pod: bool | None, mounted: bool
) -> None:
    _account(client, accounts, automountServiceAccountToken=account)
    body = _pod(serviceAccountName="mine", automountServiceAccountToken=pod)
    assert ("volumes" in client.post(pods, json=body).json()["spec"]) is mounted


def test_a_mount_at_the_path_of_the_token_stays(client: httpx.Client, pods: str) -> None:
    mounts = [{"name": "own", "mountPath": _PATH}]
    body = _pod(volumes=[{"name": "own", "emptyDir": {}}])
    body["spec"]["containers"][0]["volumeMounts"] = mounts
    spec = client.post(pods, json=body).json()["spec"]
    assert ([volume["name"] for volume in spec["volumes"]], spec["containers"][0]["volumeMounts"]) == (["own"], mounts)


def test_secrets_for_pulling_come_from_the_account(client: httpx.Client, accounts: str, pods: str) -> None:
    _account(client, accounts, imagePullSecrets=[{"name": "registry"}])
    spec = client.post(pods, json=_pod(serviceAccountName="mine")).json()["spec"]
    assert spec["imagePullSecrets"] == [{"name": "registry"}]


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ({"volumes": [{"name": "a", "secret": {"secretName": "b"}}]}, 'volume with secret.secretName="b"'),
        ({"imagePullSecrets": [{"name": "b"}]}, 'imagePullSecrets[0].name="b"'),
        (
            {"containers": [{"name": "app", "image": "nginx", "envFrom": [{"secretRef": {"name": "b"}}]}]},
            'container app with envFrom referencing secret.secretName="b"',
        ),
    ],
)
def test_an_account_can_limit_secrets(
    client: httpx.Client, accounts: str, pods: str, spec: dict[str, Any], what: str
) -> None:
    _account(client, accounts, {"kubernetes.io/enforce-mountable-secrets": "true"}, secrets=[{"name": "a"}])
    message = client.post(pods, json=_pod(serviceAccountName="mine", **spec)).json()["message"]
    kind = "imagePullSecret" if "imagePull" in what else "secret"
    why = f"{what} is not allowed because service account mine does not reference that {kind}"
    assert message == f'pods "web" is forbidden: {why}'


def test_a_mirror_pod_may_have_no_account(client: httpx.Client, pods: str) -> None:
    body = _pod(serviceAccountName="default", nodeName="node-1")
    body["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    message = client.post(pods, json=body).json()["message"]
    assert message == 'pods "web" is forbidden: a mirror pod may not reference service accounts'


def test_accounts_and_secrets_are_checked_before_the_pod_is_validated(
    client: httpx.Client, accounts: str, pods: str
) -> None:
    body = _pod(serviceAccountName="mine", containers=[], imagePullSecrets=[{"name": "b"}])
    _account(client, accounts, {"kubernetes.io/enforce-mountable-secrets": "true"})
    assert client.post(pods, json=body).status_code == 403
    body["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    assert client.post(pods, json=body).status_code == 403


def test_a_pod_is_never_refused_because_its_namespace_is_new(client: httpx.Client) -> None:
    def create(number: int) -> int:
        name = f"new-{number}"
        client.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
        return client.post(f"/api/v1/namespaces/{name}/pods", json=_pod()).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(create, range(80))) == {201}


def test_pods_are_refused_where_no_controller_creates_accounts() -> None:
    settings = Settings(controllers=(), admission_plugins=default_plugins(have_accounts=True))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as connected:
        status = connected.post("/api/v1/namespaces/default/pods", json=_pod()).json()
    why = 'error looking up service account default/default: serviceaccount "default" not found'
    assert (status["code"], status["message"]) == (403, f'pods "web" is forbidden: {why}')


def test_a_cluster_has_the_account_of_its_first_pod() -> None:
    with Server(Settings()).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as connected:
        pod = connected.post("/api/v1/namespaces/default/pods", json=_pod()).json()
    assert [volume["name"].rpartition("-")[0] for volume in pod["spec"]["volumes"]] == ["kube-api-access"]
